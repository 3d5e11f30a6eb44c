package topic

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

const (
	saddBatch = 1000        // members in a command: a script may wait for one no longer
	draftLife = time.Minute // of one that is not put in its place
)

// replace puts these in the place of the sets of their topics, but for those that are
// newer than the revision. Who reads meanwhile sees the old set or the new one.
func (t *Topics) replace(ctx context.Context, found []notifier.TopicSubscribers, revision int64, force bool) (later bool, err error) {
	if len(found) == 0 {
		return false, nil
	}
	token, sizes, err := t.draft(ctx, found)
	if err != nil {
		return false, fmt.Errorf("draft the sets of %d topics: %w", len(found), away(err))
	}
	pipe := script.NewPipe(t.rdb, len(found))
	cmds := make([]*redis.Cmd, len(found))
	for i := range found {
		topic := found[i].Topic
		cmds[i] = pipe.Add(ctx, replaceSubscribers, 3,
			t.k.Subscribers(topic), t.k.SubscribersVersion(topic), t.k.SubscribersDraft(topic, token),
			revision, sizes[i], flag(force), keepVersions)
	}
	if err := pipe.Exec(ctx); err != nil {
		return false, fmt.Errorf("replace the sets of %d topics: %w", len(found), away(err))
	}
	for _, cmd := range cmds {
		switch n, err := code(cmd); {
		case err != nil:
			return false, err
		case n == codeLater:
			later = true
		case n == codeTorn:
			return false, errTorn
		}
	}
	return later, nil
}

// draft puts the sets beside those of their topics, under a token, and says how large
// each is.
func (t *Topics) draft(ctx context.Context, found []notifier.TopicSubscribers) (token string, sizes []int, err error) {
	token, sizes = rand.Text(), make([]int, len(found))
	pipe := t.rdb.Pipeline()
	for i := range found {
		all := members(&found[i])
		sizes[i] = len(all)
		key := t.k.SubscribersDraft(found[i].Topic, token)
		for some := range slices.Chunk(all, saddBatch) {
			pipe.SAdd(ctx, key, some...)
			pipe.Expire(ctx, key, draftLife)
		}
	}
	_, err = pipe.Exec(ctx)
	return token, sizes, err
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

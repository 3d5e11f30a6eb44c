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
	saddBatch = 1000        // members per command, which keeps each one short for waiting scripts
	draftLife = time.Minute // of a draft that never replaces its set
)

// replace replaces the sets of these topics, except those newer than the revision, and reports
// whether there were any. A reader sees either the old set or the new one.
func (t *Topics) replace(ctx context.Context, found []notifier.TopicSubscribers, revision int64, force bool) (later bool, err error) {
	if len(found) == 0 {
		return false, nil
	}
	token, sizes, err := t.draft(ctx, found)
	if err != nil {
		return false, fmt.Errorf("draft the sets of %d topics: %w", len(found), script.MarkAway(err))
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
		return false, fmt.Errorf("replace the sets of %d topics: %w", len(found), script.MarkAway(err))
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

// draft writes the new sets as drafts next to the current ones, under a token, and returns their
// sizes.
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

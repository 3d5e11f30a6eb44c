package announcement

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// waiter is a reader waiting for a look.
type waiter struct {
	seq   int64
	found look
	err   error
}

// look holds the read state of each item of an index for one reader.
type look struct {
	index *index
	aver  int64  // the later of the index's version and the reader's own
	word  string // a letter per item: 1 read, 0 unread, - not visible to the reader
}

// newLook decodes the look that starts at the i-th element after the first of a reply.
func newLook(x *index, rep script.Reply, i int) (look, error) {
	word, _ := rep.Rest[i+1].(string)
	if len(word) != len(x.items) {
		return look{}, fmt.Errorf("%w: %q for %d announcements", script.ErrReply, word, len(x.items))
	}
	return look{x, rep.Number(i), word}, nil
}

// badge returns the announcements half of the reader's badge.
func (l *look) badge() notifier.Badge { return newBadge(int64(strings.Count(l.word, "0")), l.aver) }

// callLimit bounds a shared call.
const callLimit = 5 * time.Second

// lookFor returns what one reader has read, for a page.
func (b *Announcements) lookFor(ctx context.Context, r *room, seq int64) (look, error) {
	w := &waiter{seq: seq}
	if err := r.counts.Do(ctx, w); err != nil {
		return look{}, err
	}
	return w.found, w.err
}

// lookForAll looks for several readers in one call.
func (b *Announcements) lookForAll(ctx context.Context, r *room, some []*waiter) {
	x, rep, err := b.ask(ctx, r, func(x *index) *redis.Cmd {
		args := make([]any, 2, 2+len(some))
		args[0], args[1] = x.version, x.tops
		for _, w := range some {
			args = append(args, w.seq)
		}
		return lookReaders.Run(ctx, b.rdb, x.count, args...)
	})
	if err == nil && len(rep.Rest) != 2*len(some) {
		err = fmt.Errorf("%w: %d words for %d readers", script.ErrReply, len(rep.Rest), len(some))
	}
	for i, w := range some {
		if w.err = err; err == nil {
			w.found, w.err = newLook(x, rep, 2*i)
		}
	}
}

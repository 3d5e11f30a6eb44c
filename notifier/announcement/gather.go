package announcement

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// waiter is a reader who waits for what he has read.
type waiter struct {
	seq   int64
	found look
	err   error
}

// look is what a reader has read of an index.
type look struct {
	index *index
	aver  int64  // the later of the index's version and his own
	word  string // a letter for each item: 1 read, 0 unread, - not for him
}

// newLook is the one that stands in an answer from its i-th element after the first.
func newLook(x *index, rep reply, i int) (look, error) {
	word, _ := rep.rest[i+1].(string)
	if len(word) != len(x.items) {
		return look{}, fmt.Errorf("%w: %q for %d announcements", errReply, word, len(x.items))
	}
	return look{x, rep.number(i), word}, nil
}

// badge is his half of the badge.
func (l *look) badge() notifier.Badge { return newBadge(int64(strings.Count(l.word, "0")), l.aver) }

// callLimit is how long a shared call may take: it must not end with the request of
// the one who happens to make it.
const callLimit = 5 * time.Second

// lookFor finds out what a reader of a page has read.
func (b *Board) lookFor(ctx context.Context, r *room, seq int64) (look, error) {
	w := &waiter{seq: seq}
	if err := r.counts.Do(ctx, w, badgeBatch, func(batch []*waiter) { b.lookForAll(ctx, r, batch) }); err != nil {
		return look{}, err
	}
	return w.found, w.err
}

// lookForAll does so for all of a batch.
func (b *Board) lookForAll(ctx context.Context, r *room, batch []*waiter) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	x, rep, err := b.ask(ctx, r, func(x *index) *redis.Cmd {
		args := make([]any, 2, 2+len(batch))
		args[0], args[1] = x.version, x.tops
		for _, w := range batch {
			args = append(args, w.seq)
		}
		return lookReaders.Run(ctx, b.rdb, x.count, args...)
	})
	if err == nil && len(rep.rest) != 2*len(batch) {
		err = fmt.Errorf("%w: %d words for %d readers", errReply, len(rep.rest), len(batch))
	}
	for i, w := range batch {
		if w.err = err; err == nil {
			w.found, w.err = newLook(x, rep, 2*i)
		}
	}
}

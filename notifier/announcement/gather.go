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

// waiter is a reader waiting for their read state.
type waiter struct {
	seq   int64
	found readState
	err   error
}

// readState contains the read state of each item of an index for one reader.
type readState struct {
	index *index
	aver  int64  // the later of the index's version and the reader's own
	word  string // a letter per item: 1 read, 0 unread, - not visible to the reader
}

// newReadState decodes the readState that starts at the i-th element after the first of a reply.
func newReadState(x *index, rep script.Reply, i int) (readState, error) {
	word, _ := rep.Rest[i+1].(string)
	if len(word) != len(x.items) {
		return readState{}, fmt.Errorf("%w: %q for %d announcements", script.ErrReply, word, len(x.items))
	}
	return readState{x, rep.Number(i), word}, nil
}

// badge returns the announcements half of the reader's badge.
func (l *readState) badge() notifier.Badge {
	return newBadge(int64(strings.Count(l.word, "0")), l.aver)
}

// callLimit bounds a shared call.
const callLimit = 5 * time.Second

// readStateOf returns what one reader has read, for a page.
func (b *Announcements) readStateOf(ctx context.Context, r *room, seq int64) (readState, error) {
	w := &waiter{seq: seq}
	if err := r.counts.Do(ctx, w); err != nil {
		return readState{}, err
	}
	return w.found, w.err
}

// readStates reads the state of several readers in one call.
func (b *Announcements) readStates(ctx context.Context, r *room, some []*waiter) {
	x, rep, err := b.ask(ctx, r, func(x *index) *redis.Cmd {
		args := make([]any, 2, 2+len(some))
		args[0], args[1] = x.version, x.tops
		for _, w := range some {
			args = append(args, w.seq)
		}
		return readerStates.Run(ctx, b.rdb, x.count, args...)
	})
	if err == nil && len(rep.Rest) != 2*len(some) {
		err = fmt.Errorf("%w: %d words for %d readers", script.ErrReply, len(rep.Rest), len(some))
	}
	for i, w := range some {
		if w.err = err; err == nil {
			w.found, w.err = newReadState(x, rep, 2*i)
		}
	}
}

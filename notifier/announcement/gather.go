package announcement

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// gathering lets readers who come one by one share calls: while one call of an
// audience is under way those who come wait, and the first of them takes all with
// him in the next. Nobody waits for company.
type gathering struct {
	mu      sync.Mutex
	waiting []*waiter
	busy    bool
}

// waiter is a reader who waits for what he has read. turn says true when it is his to
// make the next call, false when found and err are set.
type waiter struct {
	seq   int64
	turn  chan bool
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
	g, w := &r.counts, &waiter{seq: seq, turn: make(chan bool, 1)}
	if !g.join(w) {
		select {
		case mine := <-w.turn:
			if !mine {
				return w.found, w.err
			}
		case <-ctx.Done():
			g.leave(w)
			return look{}, ctx.Err()
		}
	}
	b.lookForAll(ctx, r, g.take())
	g.pass()
	return w.found, w.err
}

// lookForAll does so for all of a batch. The first of them is who calls.
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
		w.turn <- false
	}
}

// join puts w into the queue, and says whether the call is his to make.
func (g *gathering) join(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, w)
	first := !g.busy
	g.busy = true
	return first
}

// take takes those who share the next call.
func (g *gathering) take() []*waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), badgeBatch)
	batch := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	return batch
}

// pass makes the next call the first waiter's.
func (g *gathering) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy = len(g.waiting) > 0
	if g.busy {
		g.waiting[0].turn <- true
	}
}

// leave takes out who stops waiting. If the next call was his, it is another's now.
func (g *gathering) leave(w *waiter) {
	g.mu.Lock()
	i := slices.Index(g.waiting, w)
	if i < 0 { // a call for him is under way, or done
		g.mu.Unlock()
		return
	}
	g.waiting = slices.Delete(g.waiting, i, i+1)
	g.mu.Unlock()
	select {
	case <-w.turn:
		g.pass()
	default:
	}
}

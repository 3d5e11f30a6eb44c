package announcement

import (
	"context"
	"slices"
	"sync"
	"time"

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

// waiter is a reader who waits for his count. turn says true when it is his to make
// the next call, false when badge and err are set.
type waiter struct {
	seq   int64
	turn  chan bool
	badge notifier.Badge
	err   error
}

// callLimit is how long a shared call may take: it must not end with the request of
// the one who happens to make it.
const callLimit = 5 * time.Second

func (b *Board) countOne(ctx context.Context, r *room, seq int64) (notifier.Badge, error) {
	g, w := &r.counts, &waiter{seq: seq, turn: make(chan bool, 1)}
	if !g.join(w) {
		select {
		case mine := <-w.turn:
			if !mine {
				return w.badge, w.err
			}
		case <-ctx.Done():
			g.leave(w)
			return notifier.Badge{}, ctx.Err()
		}
	}
	b.countFor(ctx, r, g.take())
	g.pass()
	return w.badge, w.err
}

// countFor counts for all of a batch. The first of them is who calls.
func (b *Board) countFor(ctx context.Context, r *room, batch []*waiter) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	seqs := make([]int64, len(batch))
	for i, w := range batch {
		seqs[i] = w.seq
	}
	badges, err := b.count(ctx, r, seqs)
	for i, w := range batch {
		if w.err = err; err == nil {
			w.badge = badges[i]
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

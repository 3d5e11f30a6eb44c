package route

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxTogether = 500              // drafts that are asked about together
	askWait     = 15 * time.Second // who asks for others too asks no longer than this
)

// gathering is questions about a few names that wait while others are asked. They
// are the next to be asked, all together, by the first of them: nobody waits for
// company, and the more there are the less each of them costs.
type gathering struct {
	mu      sync.Mutex
	asking  bool
	waiting []*question
}

type question struct {
	drafts  []notifier.Draft
	answers []Answer
	err     error
	done    chan struct{} // closed when answers or err are there
	lead    chan struct{} // told to ask, for all who wait
}

// gathers says whether drafts are few and name their users: roles and topics are
// large, and nobody is to wait for one.
func gathers(drafts []notifier.Draft) bool {
	names := 0
	for i := range drafts {
		if drafts[i].Target.Role != "" || toTopic(&drafts[i].Target) {
			return false
		}
		names += len(drafts[i].Target.Users)
	}
	return len(drafts) <= maxTogether/10 && names <= maxTogether/10
}

// ask answers drafts by all, together with those of others.
func (g *gathering) ask(ctx context.Context, drafts []notifier.Draft, all func(context.Context, []notifier.Draft) ([]Answer, error)) ([]Answer, error) {
	q := &question{drafts: drafts, done: make(chan struct{}), lead: make(chan struct{}, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, q)
	if !g.asking {
		g.asking = true
		q.lead <- struct{}{}
	}
	g.mu.Unlock()
	select {
	case <-q.done:
	case <-q.lead:
		g.askAll(ctx, all)
	case <-ctx.Done():
		g.leave(q)
		return nil, ctx.Err()
	}
	return q.answers, q.err
}

// askAll asks for those who wait, and then makes the next of them do so. It does not
// end with the context of who does it: the others have contexts of their own.
func (g *gathering) askAll(ctx context.Context, all func(context.Context, []notifier.Draft) ([]Answer, error)) {
	g.mu.Lock()
	n, drafts := 0, make([]notifier.Draft, 0, len(g.waiting))
	for n < len(g.waiting) && (n == 0 || len(drafts)+len(g.waiting[n].drafts) <= maxTogether) {
		drafts = append(drafts, g.waiting[n].drafts...)
		n++
	}
	asked := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	g.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWait)
	defer cancel()
	answers, err := all(ctx, drafts)
	for _, q := range asked {
		if q.err = err; err == nil {
			q.answers, answers = answers[:len(q.drafts):len(q.drafts)], answers[len(q.drafts):]
		}
		close(q.done)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pass()
}

// pass makes the first who waits ask next.
func (g *gathering) pass() {
	if g.asking = len(g.waiting) > 0; g.asking {
		g.waiting[0].lead <- struct{}{}
	}
}

// leave takes out who waits no longer. When it was for him to ask, another does.
func (g *gathering) leave(q *question) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.waiting, q); i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
		select {
		case <-q.lead:
			g.pass()
		default:
		}
	}
}

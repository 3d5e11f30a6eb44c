package ask

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// MaxWaits is how many callers can wait for questions on an instance.
const MaxWaits = 5000

// watchPage is the maximum number of questions that one statement looks for.
const watchPage = 500

// waits are the callers of this instance who wait for the end of questions.
type waits struct {
	mu      sync.Mutex
	of      map[int64]*wait // by the id of the question
	callers int
	stopped chan struct{}
	stop    func()
}

// wait is what the callers of one question wait for.
type wait struct {
	ended   chan struct{} // closed when the question has ended
	callers int
}

func newWaits() *waits {
	stopped := make(chan struct{})
	return &waits{of: map[int64]*wait{}, stopped: stopped, stop: sync.OnceFunc(func() { close(stopped) })}
}

// Stop ends all waits, now and later: their callers get the question as it is.
func (a *Asks) Stop() { a.waits.stop() }

// Wait returns a question once it is no longer open, or as it is after this time, when ctx ends, or when the instance
// stops. It returns a notifier.ErrTooMany while MaxWaits callers wait.
func (a *Asks) Wait(ctx context.Context, id int64, within time.Duration) (notifier.Question, error) {
	ended, leave, err := a.waits.join(id)
	if err != nil {
		return notifier.Question{}, err
	}
	defer leave()
	limit := time.NewTimer(within)
	defer limit.Stop()
	q, err := a.c.Store.Question(ctx, id) // after the wait has begun, so that no end is missed
	if err != nil || q.Asked.Ended() {
		return q, err
	}
	select {
	case <-ended:
	case <-limit.C:
	case <-a.waits.stopped:
	case <-ctx.Done():
		return q, nil
	}
	return a.c.Store.Question(ctx, id)
}

// join returns a channel that is closed when the question has ended, and a function that leaves.
func (w *waits) join(id int64) (ended <-chan struct{}, leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.callers >= MaxWaits {
		return nil, nil, fmt.Errorf("wait for question %d: %w", id, notifier.ErrTooMany)
	}
	joined := w.of[id]
	if joined == nil {
		joined = &wait{ended: make(chan struct{})}
		w.of[id] = joined
	}
	joined.callers++
	w.callers++
	return joined.ended, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.callers--
		if joined.callers--; joined.callers == 0 && w.of[id] == joined {
			delete(w.of, id)
		}
	}, nil
}

// wake ends the waits for these questions.
func (w *waits) wake(ids []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		if joined := w.of[id]; joined != nil {
			close(joined.ended)
			delete(w.of, id)
		}
	}
}

// ids returns the questions that are waited for.
func (w *waits) ids() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.of))
}

// watch wakes those who wait for a question that another instance has ended: one statement for up to watchPage questions,
// however many callers wait.
func (a *Asks) watch(ctx context.Context) error {
	for some := range slices.Chunk(a.waits.ids(), watchPage) {
		ended, err := a.c.Store.EndedAsks(ctx, some)
		if err != nil {
			return fmt.Errorf("look for the end of questions: %w", err)
		}
		a.waits.wake(ended)
	}
	return nil
}

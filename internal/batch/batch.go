// Package batch combines concurrent calls: while a call is running, new callers wait, and the next call
// serves all of them. A single caller does not wait for others, and the more callers there are, the
// less each of them costs.
package batch

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"
)

var (
	// ErrFull is returned to callers beyond Options.Room.
	ErrFull = errors.New("too many callers are waiting")
	// ErrClosed is returned to callers after Close.
	ErrClosed = errors.New("the queue is closed")
)

// Options configures New. Most and Call are required.
type Options[T any] struct {
	// Call serves items in the order of their arrival. It serves several callers, so its context is
	// separate from theirs: it ends after Limit.
	Call func(ctx context.Context, items []T)
	// Limit is the longest time of a call; 0 means no limit.
	Limit time.Duration
	// Most is the weight of the items in one call. An item that weighs more is served alone.
	Most int
	// Weigh returns the weight of an item; nil means that each weighs 1.
	Weigh func(T) int
	// Room is the weight of the waiting items at which Do starts to return ErrFull; 0 means no limit.
	Room int
}

// Queue contains the callers that wait for the next call. It is safe for concurrent use.
type Queue[T any] struct {
	o Options[T]

	mu      sync.Mutex
	waiting []*waiter[T]
	weight  int // of waiting
	busy    bool
	closed  bool
	parked  bool           // the worker waits for wake
	wake    chan struct{}  // has room for one
	worker  sync.WaitGroup // runs while the queue is busy, and lingers
}

// linger is how long the worker waits for the next caller. The stack of a new worker would have to grow
// again, which takes as long as a query of SQLite.
const linger = 100 * time.Millisecond

type waiter[T any] struct {
	item   T
	weight int
	served chan struct{}
}

// New returns an empty queue. It runs a goroutine only while callers wait, and for a moment longer.
func New[T any](o Options[T]) *Queue[T] {
	if o.Weigh == nil {
		o.Weigh = func(T) int { return 1 }
	}
	return &Queue[T]{o: o, wake: make(chan struct{}, 1)}
}

// Do returns nil after a call that has served the item. Otherwise it returns ErrFull, ErrClosed or the error of ctx.
// If ctx ends while the item waits, no call gets it; a call that already has it continues, and may use it after Do
// has returned.
func (q *Queue[T]) Do(ctx context.Context, item T) error {
	w := &waiter[T]{item: item, weight: q.o.Weigh(item), served: make(chan struct{})}
	if err := q.add(w); err != nil {
		return err
	}
	select {
	case <-w.served:
		return nil
	case <-ctx.Done():
		q.remove(w)
		return ctx.Err()
	}
}

// Waiting returns the weight of the items that wait for the next call, and whether a call is
// running.
func (q *Queue[T]) Waiting() (weight int, busy bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.weight, q.busy
}

// Close rejects new callers and waits until all present ones are served.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	q.closed = true
	q.unpark()
	q.mu.Unlock()
	q.worker.Wait()
}

func (q *Queue[T]) add(w *waiter[T]) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return ErrClosed
	case q.o.Room > 0 && q.weight >= q.o.Room:
		return ErrFull
	}
	q.waiting = append(q.waiting, w)
	q.weight += w.weight
	switch {
	case q.unpark():
	case !q.busy:
		q.busy = true
		q.worker.Go(q.run)
	}
	return nil
}

// unpark wakes the worker, and reports whether it was parked. The caller holds the lock.
func (q *Queue[T]) unpark() bool {
	was := q.parked
	if was {
		q.parked, q.busy = false, true
		q.wake <- struct{}{}
	}
	return was
}

// park waits for a caller. It returns false when the worker must end. take has parked the worker.
func (q *Queue[T]) park(patience *time.Timer) bool {
	patience.Reset(linger)
	select {
	case <-q.wake:
		return true
	case <-patience.C:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.parked {
		q.parked = false
		return false
	}
	<-q.wake // woken at the same moment
	return true
}

// run makes calls until no caller has arrived for a moment. Each call gets the items that arrived during
// the previous one.
func (q *Queue[T]) run() {
	patience := time.NewTimer(linger)
	defer patience.Stop()
	for {
		runtime.Gosched() // under load, callers that can run now join this call instead of the next one
		some, closed := q.take()
		if len(some) == 0 {
			if closed || !q.park(patience) {
				return
			}
			continue
		}
		items := make([]T, len(some))
		for i, w := range some {
			items[i] = w.item
		}
		q.call(items)
		for _, w := range some {
			close(w.served)
		}
	}
}

func (q *Queue[T]) call(items []T) {
	ctx := context.Background()
	if q.o.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.o.Limit)
		defer cancel()
	}
	q.o.Call(ctx, items)
}

// take removes and returns the waiters of the next call. If there are none, the queue is no longer
// busy, and the worker is parked unless the queue is closed.
func (q *Queue[T]) take() (some []*waiter[T], closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, weight := 0, 0
	for n < len(q.waiting) && (n == 0 || weight+q.waiting[n].weight <= q.o.Most) {
		weight += q.waiting[n].weight
		n++
	}
	some = slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	q.weight -= weight
	q.busy = n > 0
	q.parked = !q.busy && !q.closed
	return some, q.closed
}

// remove removes a waiter whose caller no longer waits, unless a call already has its item.
func (q *Queue[T]) remove(w *waiter[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.weight -= w.weight
	}
}

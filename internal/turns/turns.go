// Package turns lets concurrent callers share calls: while one call is under way, new callers
// wait, and the first of them serves all of them with the next call. No caller waits for
// company, and the more callers there are, the less each of them costs.
package turns

import (
	"context"
	"slices"
	"sync"
)

// Queue holds the callers that wait for the next call. Its zero value is ready and safe for
// concurrent use.
type Queue[T any] struct {
	mu      sync.Mutex
	waiting []*waiter[T]
	busy    bool
}

// waiter is a waiting caller. turn receives true if it must make the next call, and false once
// another caller has served it.
type waiter[T any] struct {
	what T
	turn chan bool
}

// Do passes what to call, alone or together with those of other callers, in the order of their
// arrival and at most `most` at a time. It returns after that call, or with the error of ctx;
// then what will not be used any more. A call also serves other callers, so it must not end with
// the context of the one that makes it.
func (q *Queue[T]) Do(ctx context.Context, what T, most int, call func(together []T)) error {
	w := &waiter[T]{what: what, turn: make(chan bool, 1)}
	if !q.join(w) {
		select {
		case mine := <-w.turn:
			if !mine {
				return nil
			}
		case <-ctx.Done():
			q.leave(w)
			return ctx.Err()
		}
	}
	some := q.take(most)
	together := make([]T, len(some))
	for i, one := range some {
		together[i] = one.what
	}
	call(together)
	for _, other := range some[1:] {
		other.turn <- false
	}
	q.pass()
	return nil
}

// Len returns the number of callers that wait for the next call.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// join adds w to the queue and reports whether it must make the next call at once.
func (q *Queue[T]) join(w *waiter[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, w)
	first := !q.busy
	q.busy = true
	return first
}

// take removes the waiters that share the next call. The first of them makes it.
func (q *Queue[T]) take(most int) []*waiter[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), most)
	some := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return some
}

// pass gives the turn to the first waiter.
func (q *Queue[T]) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy = len(q.waiting) > 0; q.busy {
		q.waiting[0].turn <- true
	}
}

// leave removes a waiter that stops waiting. If it had the turn, the next one gets it.
func (q *Queue[T]) leave(w *waiter[T]) {
	q.mu.Lock()
	i := slices.Index(q.waiting, w)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 { // a call that serves it is under way or done
		return
	}
	select {
	case <-w.turn:
		q.pass()
	default:
	}
}

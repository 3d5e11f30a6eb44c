// Package turns lets those who come one by one share calls: while one call is under way
// those who come wait, and the first of them takes all with him in the next. Nobody
// waits for company, and the more come the less each of them costs.
package turns

import (
	"context"
	"slices"
	"sync"
)

// Queue is those who wait for the next call. Its zero value is ready, and for many
// goroutines.
type Queue[T any] struct {
	mu      sync.Mutex
	waiting []*waiter[T]
	busy    bool
}

// waiter is one who waits. turn says true when it is his to make the next call, false
// when that was made for him.
type waiter[T any] struct {
	what T
	turn chan bool
}

// Do has what done by call, alone or together with up to most in all, in the order of
// their coming. It returns once that call has, or with the error of ctx, when nobody
// looks at what any more. Who makes a call makes it for others, too: a call of several
// must not end with his context.
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

// Len is how many wait for the next call.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// join puts w into the queue, and says whether the call is his to make.
func (q *Queue[T]) join(w *waiter[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, w)
	first := !q.busy
	q.busy = true
	return first
}

// take takes those who share the next call. The first is who makes it.
func (q *Queue[T]) take(most int) []*waiter[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), most)
	some := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return some
}

// pass makes the next call the first waiter's.
func (q *Queue[T]) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy = len(q.waiting) > 0; q.busy {
		q.waiting[0].turn <- true
	}
}

// leave takes out who stops waiting. If the next call was his, it is another's now.
func (q *Queue[T]) leave(w *waiter[T]) {
	q.mu.Lock()
	i := slices.Index(q.waiting, w)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 { // a call for him is under way, or done
		return
	}
	select {
	case <-w.turn:
		q.pass()
	default:
	}
}

package store

import (
	"fmt"
	"slices"
	"sync"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// maxBatch is how many notices one commit takes; a caller with more gets a commit of
	// its own.
	maxBatch = 1000
	// maxWaiting is how many notices may wait for a commit; further callers are refused,
	// so that senders slow down.
	maxWaiting = 10_000
)

// acceptQueue collects notices while a commit is under way. One goroutine commits as long
// as notices are waiting; close waits for that goroutine.
type acceptQueue struct {
	mu      sync.Mutex
	waiting []*unit
	notices int // in waiting
	running bool
	closed  bool
	worker  sync.WaitGroup
}

func (q *acceptQueue) add(u *unit, commit func([]*unit)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return fmt.Errorf("%w: the store is closed", notifier.ErrUnavailable)
	}
	if q.notices >= maxWaiting {
		return fmt.Errorf("%w: %d notices are waiting to be stored", notifier.ErrUnavailable, q.notices)
	}
	q.waiting = append(q.waiting, u)
	q.notices += len(u.rows)
	if !q.running {
		q.running = true
		q.worker.Go(func() { q.run(commit) })
	}
	return nil
}

// run never waits for more work to arrive: each commit takes what came during the last one.
func (q *acceptQueue) run(commit func([]*unit)) {
	for {
		units := q.take()
		if len(units) == 0 {
			return
		}
		commit(units)
	}
}

// take removes and returns the units of the next commit. If it returns none, the queue is
// marked as not running, and the calling goroutine must end.
func (q *acceptQueue) take() []*unit {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, notices := 0, 0
	for n < len(q.waiting) && (n == 0 || notices+len(q.waiting[n].rows) <= maxBatch) {
		notices += len(q.waiting[n].rows)
		n++
	}
	q.running = n > 0
	units := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	q.notices -= notices
	return units
}

// remove drops a unit whose caller has given up. A unit that is already being committed is
// left alone.
func (q *acceptQueue) remove(u *unit) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, u); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.notices -= len(u.rows)
	}
}

func (q *acceptQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.worker.Wait()
}

package store

import (
	"fmt"
	"slices"
	"sync"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// maxBatch is how many notices one commit gathers; a caller who brings more
	// has one of his own.
	maxBatch = 1000
	// maxWaiting is how many notices wait for the next commits; who comes then
	// is refused, so that senders slow down.
	maxWaiting = 10_000
)

// acceptQueue gathers notices while a commit is under way. A goroutine commits
// as long as there are any; close waits for it.
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
		return fmt.Errorf("%w: %d notices wait to be stored", notifier.ErrUnavailable, q.notices)
	}
	q.waiting = append(q.waiting, u)
	q.notices += len(u.rows)
	if !q.running {
		q.running = true
		q.worker.Go(func() { q.run(commit) })
	}
	return nil
}

// run does not wait for company: whatever came during one commit is the next.
func (q *acceptQueue) run(commit func([]*unit)) {
	for {
		units := q.take()
		if len(units) == 0 {
			return
		}
		commit(units)
	}
}

// take takes out what the next commit stores. When there is nothing the one who
// asks has ended.
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

// remove takes out a unit whose caller has left. One that is in a commit already
// stays there.
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

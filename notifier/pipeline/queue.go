package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// queue orders unfinished notices: small ones first, then older ones. Large
// ones never take the last place at work, so that a small one finds it free.
type queue struct {
	places  int   // notices at work at once
	small   int64 // the largest size that is not large
	waiting []task
	atWork  map[int64]task
	large   int // of those at work
	failed  map[int64]failure
	cut     bool // the store may hold more than the last look showed
}

// task is a notice and how many recipients it has.
type task struct{ id, size int64 }

// failure holds back a notice whose work failed for a reason of its own.
type failure struct {
	until time.Time
	wait  time.Duration
}

func newQueue(places int, small int64) queue {
	return queue{places: places, small: small, atWork: map[int64]task{}, failed: map[int64]failure{}}
}

// fill replaces what waits by ids, without those at work. size is asked once
// for each notice.
func (q *queue) fill(ids []int64, size func(id int64) (int64, error)) error {
	known := make(map[int64]int64, len(q.waiting))
	for _, t := range q.waiting {
		known[t.id] = t.size
	}
	failed := make(map[int64]failure, len(q.failed))
	waiting := make([]task, 0, len(ids))
	for _, id := range ids {
		if f, ok := q.failed[id]; ok {
			failed[id] = f // of finished ones nothing is remembered
		}
		if _, ok := q.atWork[id]; ok {
			continue
		}
		n, ok := known[id]
		if !ok {
			var err error
			if n, err = size(id); err != nil {
				return fmt.Errorf("look at notice %d: %w", id, err)
			}
		}
		waiting = append(waiting, task{id, n})
	}
	slices.SortFunc(waiting, func(a, b task) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.id, b.id))
	})
	q.waiting, q.failed, q.cut = waiting, failed, len(ids) >= maxQueue
	return nil
}

// take moves the next notice to work, if there is one and a place for it.
func (q *queue) take(now time.Time) (id int64, ok bool) {
	if len(q.atWork) >= q.places {
		return 0, false
	}
	for i, t := range q.waiting {
		if t.size > q.small && q.large >= max(q.places-1, 1) {
			return 0, false // all behind it are as large
		}
		if now.Before(q.failed[t.id].until) {
			continue
		}
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.atWork[t.id] = t
		if t.size > q.small {
			q.large++
		}
		return t.id, true
	}
	return 0, false
}

// done takes a notice from work. One that failed is held back for a while,
// longer each time; first says that it had not failed before.
func (q *queue) done(id int64, failed bool, now time.Time) (first bool) {
	if q.atWork[id].size > q.small {
		q.large--
	}
	delete(q.atWork, id)
	f, again := q.failed[id]
	if !failed {
		delete(q.failed, id)
		return false
	}
	f.wait = min(max(2*f.wait, 100*time.Millisecond), 2*maxBackoff)
	f.until = now.Add(jitter(f.wait))
	q.failed[id] = f
	return !again
}

// hungry says that a further look into the store is likely to find more.
func (q *queue) hungry() bool { return q.cut && len(q.waiting) == 0 }

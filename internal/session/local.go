package session

import (
	"sync"
	"time"
)

// maxLocal limits the counters of one process. When they are full, those whose window has ended are
// removed first, then any.
const maxLocal = 10_000

// localCounts counts failures in this process while Redis is away.
type localCounts struct {
	now func() time.Time

	mu     sync.Mutex
	counts map[localKey]localCount
}

// localKey identifies one counter: the index among the quotas, and the member.
type localKey struct {
	place int
	who   string
}

type localCount struct {
	n   int64
	end time.Time
}

// add counts one failure in each quota, or in none if one of them is used up; then it returns how
// long to wait.
func (l *localCounts) add(q quotas) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for i, one := range q {
		if c := l.counts[localKey{i, one.who}]; one.limit > 0 && c.n >= one.limit && now.Before(c.end) {
			wait = max(wait, c.end.Sub(now), time.Millisecond)
		}
	}
	if wait > 0 {
		return wait
	}
	for i, one := range q {
		if one.who == "" {
			continue
		}
		key := localKey{i, one.who}
		c, ok := l.counts[key]
		if !ok || !now.Before(c.end) {
			l.makeRoom(now)
			c = localCount{end: now.Add(window)}
		}
		c.n++
		l.counts[key] = c
	}
	return 0
}

// sub takes back one failure from each quota.
func (l *localCounts) sub(q quotas) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, one := range q {
		key := localKey{i, one.who}
		c, ok := l.counts[key]
		switch {
		case !ok:
		case c.n > 1:
			c.n--
			l.counts[key] = c
		default:
			delete(l.counts, key)
		}
	}
}

func (l *localCounts) makeRoom(now time.Time) {
	if l.counts == nil {
		l.counts = make(map[localKey]localCount)
	}
	if len(l.counts) < maxLocal {
		return
	}
	for key, c := range l.counts {
		if !now.Before(c.end) {
			delete(l.counts, key)
		}
	}
	for key := range l.counts {
		if len(l.counts) < maxLocal {
			return
		}
		delete(l.counts, key)
	}
}

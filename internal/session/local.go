package session

import (
	"sync"
	"time"
)

// maxLocal bounds the counters of one process. When they are full, those whose
// window has ended make room, then any one.
const maxLocal = 10_000

// localCounts counts failures in this process while Redis is away.
type localCounts struct {
	now func() time.Time

	mu     sync.Mutex
	counts map[string]localCount
}

type localCount struct {
	n   int64
	end time.Time
}

// add counts one failure in each quota and returns where they stand and how
// long their windows last.
func (l *localCounts) add(quotas []quota) (counts []int64, lives []time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, q := range quotas {
		c, ok := l.counts[q.key]
		if !ok || !now.Before(c.end) {
			l.makeRoom(now)
			c = localCount{end: now.Add(window)}
		}
		c.n++
		l.counts[q.key] = c
		counts, lives = append(counts, c.n), append(lives, c.end.Sub(now))
	}
	return counts, lives
}

// sub takes one failure back from each quota.
func (l *localCounts) sub(quotas []quota) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range quotas {
		if c, ok := l.counts[q.key]; ok && c.n > 0 {
			c.n--
			l.counts[q.key] = c
		}
	}
}

func (l *localCounts) makeRoom(now time.Time) {
	if l.counts == nil {
		l.counts = make(map[string]localCount)
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

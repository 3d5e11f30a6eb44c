package behind

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Stats describes the completed work of a Flusher, and its lag.
type Stats struct {
	Lag     time.Duration                // age of the oldest change that this instance must write, except deliveries
	Late    time.Duration                // age of the oldest notice whose delivery this instance must write
	Users   int64                        // inboxes written
	Rows    int64                        // entries in those inboxes
	Batches int64                        // writes to SQL
	Evicted int64                        // inboxes evicted from Redis
	Checked int64                        // inboxes checked for drift
	Drift   map[notifier.DriftKind]int64 // drift found and repaired; has every kind
}

// Stats returns the current statistics.
func (f *Flusher) Stats() Stats {
	s := Stats{
		Users: f.users.Load(), Rows: f.rows.Load(), Batches: f.batches.Load(),
		Evicted: f.evicted.Load(), Checked: f.checked.Load(), Drift: f.drifts(),
	}
	now := f.c.Now().UnixMilli()
	for _, g := range f.groups {
		if oldest := g.oldest.Load(); oldest > 0 {
			s.Lag = max(s.Lag, time.Duration(now-oldest)*time.Millisecond)
		}
		if oldest := g.late.Load(); oldest > 0 {
			s.Late = max(s.Late, time.Duration(now-oldest)*time.Millisecond)
		}
	}
	return s
}

// drifts returns the number of repairs by kind.
func (f *Flusher) drifts() map[notifier.DriftKind]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make(map[notifier.DriftKind]int64, 3)
	for _, kind := range []notifier.DriftKind{notifier.DriftCount, notifier.DriftRows, notifier.DriftSQL} {
		all[kind] = f.drift[kind]
	}
	return all
}

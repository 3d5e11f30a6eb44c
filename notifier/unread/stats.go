package unread

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Stats are what a Flusher has done, and how far it is behind.
type Stats struct {
	Lag     time.Duration                // age of the oldest change that this instance has to write
	Users   int64                        // inboxes written
	Rows    int64                        // entries in them
	Batches int64                        // writes to SQL
	Evicted int64                        // inboxes that left Redis
	Checked int64                        // inboxes checked for drift
	Drift   map[notifier.DriftKind]int64 // what was found, and mended; each kind is there
}

// Stats returns them as they are now.
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
	}
	return s
}

// drifts is how much was found of each kind.
func (f *Flusher) drifts() map[notifier.DriftKind]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make(map[notifier.DriftKind]int64, 3)
	for _, kind := range []notifier.DriftKind{notifier.DriftCount, notifier.DriftRows, notifier.DriftSQL} {
		all[kind] = f.drift[kind]
	}
	return all
}

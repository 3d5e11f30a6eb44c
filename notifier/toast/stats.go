package toast

import "sync/atomic"

// Stats counts what this instance has done since it started, for metrics.
type Stats struct {
	Raised  int64 // toasts queued, one per user
	Taken   int64 // toasts claimed in order to be shown; claiming one again counts again
	Acked   int64 // toasts acknowledged
	Settled int64 // toasts removed because they need not be shown: too old, ended or read
	Cleared int64 // toasts dropped by age, never shown
	Failed  int64 // calls that failed in full or in part
}

type stats struct{ raised, taken, acked, settled, cleared, failed atomic.Int64 }

// Stats returns the counts so far.
func (t *Toasts) Stats() Stats {
	s := &t.stats
	return Stats{
		Raised: s.raised.Load(), Taken: s.taken.Load(), Acked: s.acked.Load(),
		Settled: s.settled.Load(), Cleared: s.cleared.Load(), Failed: s.failed.Load(),
	}
}

package toast

import "sync/atomic"

// Stats is what an instance has done since it started, for metrics.
type Stats struct {
	Raised  int64 // toasts put by, one for each user
	Taken   int64 // toasts taken to be shown, each time counted
	Acked   int64 // shown
	Settled int64 // need not be shown any more: too old, over, or read
	Cleared int64 // left by age without having been shown
	Failed  int64 // calls that failed, or a part of them
}

type stats struct{ raised, taken, acked, settled, cleared, failed atomic.Int64 }

// Stats answers the counts as of now.
func (t *Toasts) Stats() Stats {
	s := &t.stats
	return Stats{
		Raised: s.raised.Load(), Taken: s.taken.Load(), Acked: s.acked.Load(),
		Settled: s.settled.Load(), Cleared: s.cleared.Load(), Failed: s.failed.Load(),
	}
}

package intake

import (
	"context"
	"sync"
	"time"
)

// maxHeld is how many entries may wait for Range before nothing more is read.
const maxHeld = 64

// shift is one Run: the reader, and the lanes that it fills.
//
//	reader ── small ──▶ deliver ── served ──▶ confirm ──┐
//	       └─ large ──▶ range, at Config.Large places ──┴─ acks ──▶ acknowledge
//
// Each closes what it alone fills when it ends.
type shift struct {
	*Intake
	work   context.Context //nolint:containedctx // that of the handlers: it outlives Run's, and ends with the shift
	small  chan []Entry
	served chan []Entry
	acks   chan []Entry
	large  chan job      // room for maxHeld and a whole batch: the reader never waits in the middle of one
	room   chan struct{} // a job was taken from large
}

// job is an entry that goes its way alone.
type job struct {
	Entry
	raw   map[string]any // of an entry that cannot be read
	unfit error          // it is only buried
}

// Run reads and does work until ctx ends. Then it finishes what was begun, gives back what was
// not, leaves the group when it has nothing in hand, and returns nil. It may take as
// long as a read lasts (1 s) and the handlers need, at most Config.Grace. What is added until
// ctx ends is put in.
func (q *Intake) Run(ctx context.Context) error {
	work, cancel := outlive(ctx, q.c.Grace)
	defer cancel()
	s := &shift{
		Intake: q, work: work,
		small: make(chan []Entry, 1), served: make(chan []Entry, 1), acks: make(chan []Entry, 16),
		large: make(chan job, maxHeld+q.c.Batch), room: make(chan struct{}, 1),
	}
	var beside, lanes, last sync.WaitGroup
	beside.Go(func() { q.addAll(ctx, work) })
	beside.Go(func() { q.watch(ctx) })
	lanes.Go(func() { s.read(ctx) })
	lanes.Go(func() { s.deliverAll(ctx) })
	lanes.Go(func() { s.confirmAll(ctx) })
	for range q.c.Large {
		lanes.Go(func() { s.rangeAll(ctx) })
	}
	last.Go(s.acknowledgeAll)
	lanes.Wait()
	close(s.acks)
	last.Wait()
	s.giveBack()
	beside.Wait()
	q.leave(work)
	return nil
}

// outlive returns a context that ends some time after ctx does.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var once sync.Once
	var late *time.Timer
	stop := context.AfterFunc(ctx, func() {
		once.Do(func() { late = time.AfterFunc(by, cancel) })
	})
	return work, func() {
		stop()
		once.Do(func() {}) // waits for the above, or keeps it from happening
		if late != nil {
			late.Stop()
		}
		cancel()
	}
}

// pause lets some time pass, less when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

package delivery

import (
	"context"
	"sync"
	"time"
)

// maxHeld is how many jobs may wait for Range before the reader pauses.
const maxHeld = 64

// shift is the state of one Run: the reader and the lanes that it fills.
//
//	Add ───── direct ─┐
//	reader ── small ──┴▶ deliver ── served ──▶ confirm ──┐
//	       └─ large ───▶ range, at Config.Large places ──┴─ acks ──▶ acknowledge
//
// Each goroutine closes the channels that only it writes to.
type shift struct {
	*Intake
	work   context.Context //nolint:containedctx // the context of the handlers: it outlives Run's, and ends with the shift
	small  chan []Entry
	served chan []Entry
	acks   chan []Entry
	large  chan job      // room for maxHeld and a whole batch, so that the reader never blocks within a batch
	room   chan struct{} // signals that a job was taken from large
}

// job is an entry that is handled on its own.
type job struct {
	Entry
	raw   map[string]any // set if the entry cannot be read
	unfit error          // set if the entry is only to be buried
}

// Run reads and handles entries until ctx ends. Then it finishes the work in progress, gives back
// entries that were not started, leaves the group if no entry is pending with it, and returns nil.
// That takes at most as long as a read (1 s) and the handlers, which have at most Config.Grace.
// Entries added before ctx ends are still put into the stream.
func (q *Intake) Run(ctx context.Context) error {
	work, cancel := outlive(ctx, q.c.Grace)
	defer cancel()
	s := &shift{
		Intake: q, work: work,
		small: make(chan []Entry, 1), served: make(chan []Entry, 1), acks: make(chan []Entry, 16),
		large: make(chan job, maxHeld+q.c.Batch), room: make(chan struct{}, 1),
	}
	q.running.Store(true)
	var beside, lanes, last sync.WaitGroup
	adding, stopAdding := context.WithCancel(work)
	defer stopAdding()
	beside.Go(func() { q.addAll(adding, work) })
	beside.Go(func() { q.watch(ctx) })
	lanes.Go(func() { s.read(ctx) })
	lanes.Go(func() { s.deliverAll(ctx) })
	lanes.Go(func() { s.confirmAll(ctx) })
	for range q.c.Large {
		lanes.Go(func() { s.rangeAll(ctx) })
	}
	last.Go(s.acknowledgeAll)
	lanes.Wait()
	stopAdding() // the lanes put into the stream what failed
	close(s.acks)
	last.Wait()
	s.giveBack()
	beside.Wait()
	q.leave(work)
	return nil
}

// outlive returns a context that ends the given time after ctx does.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var once sync.Once
	var late *time.Timer
	stop := context.AfterFunc(ctx, func() {
		once.Do(func() { late = time.AfterFunc(by, cancel) })
	})
	return work, func() {
		stop()
		once.Do(func() {}) // waits for the call above, or prevents it
		if late != nil {
			late.Stop()
		}
		cancel()
	}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// acknowledgeAll acknowledges finished entries while the next ones are being confirmed.
func (s *shift) acknowledgeAll() {
	for batch := range s.acks {
		for waiting := len(s.acks); waiting > 0; waiting-- {
			batch = append(batch, <-s.acks...)
		}
		s.done.Add(s.acknowledge(batch))
	}
}

// acknowledge returns how many entries were still pending, or were never in the stream. If Redis is
// unavailable they stay in the stream and are handled once more, which handlers must tolerate.
func (s *shift) acknowledge(entries []Entry) int64 {
	direct := int64(len(entries))
	entries = inStream(entries)
	direct -= int64(len(entries))
	if len(entries) == 0 {
		return direct
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	n, err := s.c.Redis.XAck(s.work, s.stream, Group, ids...).Result()
	if err != nil {
		s.c.Log.DebugContext(s.work, "entries stay in the stream and will be handled again", "stage", "intake", "entries", len(ids), "err", err)
	}
	s.inFlight.settle(ids...)
	return direct + n
}

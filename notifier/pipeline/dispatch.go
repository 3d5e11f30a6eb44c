package pipeline

import (
	"context"
	"math/rand/v2"
	"time"
)

// dispatcher finishes what is unfinished: large sends, and whatever an instance
// or Redis left behind. One goroutine owns its fields; every notice at work has
// a goroutine that reports to it.
type dispatcher struct {
	p        *Pipeline
	queue    queue
	finished chan result
	probed   chan error
	probing  bool
	look     bool // there may be work that the queue does not know
	failing  bool // Redis or SQL is away: nothing is begun until a probe succeeds
	backoff  time.Duration
	wake     *time.Timer // the next probe
}

func newDispatcher(p *Pipeline) *dispatcher {
	wake := time.NewTimer(0)
	wake.Stop()
	return &dispatcher{
		p: p, queue: newQueue(p.c.Workers, int64(p.c.Chunk)), look: true, wake: wake,
		finished: make(chan result, p.c.Workers), probed: make(chan error, 1),
	}
}

// run works until ctx ends, waits for those at work, and returns nil.
func (d *dispatcher) run(ctx context.Context) error {
	tick := time.NewTicker(d.p.c.Poll)
	defer tick.Stop()
	defer d.wake.Stop()
	for ctx.Err() == nil {
		if d.look && !d.failing {
			d.look = false
			d.note(ctx, d.fill(ctx))
		}
		d.begin(ctx)
		select {
		case <-d.p.kick:
			d.look = true
		case <-tick.C:
			d.look = true
		case r := <-d.finished:
			d.end(ctx, r)
		case <-d.wake.C:
			d.probe(ctx)
		case err := <-d.probed:
			d.probing = false
			d.look = err == nil
			d.note(ctx, err)
		case <-ctx.Done():
		}
	}
	d.drain()
	return nil
}

// begin starts work as long as there is some and a place for it.
func (d *dispatcher) begin(ctx context.Context) {
	for !d.failing {
		id, ok := d.queue.take(d.p.c.Now())
		if !ok {
			return
		}
		go func() { d.finished <- d.p.work(ctx, id) }() // drain waits for it
	}
}

func (d *dispatcher) end(ctx context.Context, r result) {
	failed := r.err != nil && ctx.Err() == nil
	first := d.queue.done(r.id, failed, d.p.c.Now())
	switch {
	case failed && r.away:
		d.note(ctx, r.err)
	case failed && first:
		d.p.c.Log.ErrorContext(ctx, "notice not finished, trying on", "stage", "dispatch", "notice_id", r.id, "err", r.err)
	case r.moved, !failed && !r.idle && d.queue.hungry():
		d.look = true
	}
}

// probe asks in the background whether Redis and SQL are back.
func (d *dispatcher) probe(ctx context.Context) {
	if d.probing {
		return
	}
	d.probing = true
	go func() { // drain waits for it
		err := d.p.c.Redis.Ping(ctx).Err()
		if err == nil {
			_, err = d.p.c.Store.Unfinished(ctx, 1)
		}
		d.probed <- err
	}()
}

// note begins or ends the time in which nothing is begun, and logs the change.
func (d *dispatcher) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		if d.failing {
			d.p.c.Log.InfoContext(ctx, "dispatch works again", "stage", "dispatch")
		}
		d.failing, d.backoff = false, 0
		d.p.away.Store(false)
		return
	}
	if !d.failing {
		d.p.c.Log.WarnContext(ctx, "dispatch waits", "stage", "dispatch", "err", err)
	}
	d.failing = true
	d.p.away.Store(true)
	d.backoff = min(max(2*d.backoff, 100*time.Millisecond), maxBackoff)
	d.wake.Reset(jitter(d.backoff))
}

func (d *dispatcher) drain() {
	for len(d.queue.atWork) > 0 {
		r := <-d.finished
		d.queue.done(r.id, false, d.p.c.Now())
	}
	if d.probing {
		if err := <-d.probed; err != nil {
			d.p.c.Log.Debug("redis or sql is away at the end", "stage", "dispatch", "err", err)
		}
	}
}

// fill puts what is unfinished into the queue.
func (d *dispatcher) fill(ctx context.Context) error {
	ids, err := d.p.c.Store.Unfinished(ctx, maxQueue)
	if err != nil {
		return err
	}
	return d.queue.fill(ids, func(id int64) (int64, error) { return d.p.size(ctx, id) })
}

// jitter is between half of d and d, so that instances do not come back in step.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d/2+1) //nolint:gosec // no secret
}

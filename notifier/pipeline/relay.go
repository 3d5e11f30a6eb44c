package pipeline

import (
	"context"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	relayWindow = 10_000 // unfinished notices that are watched at a time, the oldest
	relayPage   = 1000   // of them in one question
	relayPut    = 200    // put in at a time
	relayTime   = 30 * time.Second
	forgetEvery = time.Hour
)

// relay puts what is unfinished in SQL and is not in the intake there again: what
// Redis lost, or never got. One instance does it, by lease, and each looks whether
// Redis is there.
type relay struct {
	p      *Pipeline
	lease  *Lease
	seen   map[int64]place // how what is unfinished stood a look ago
	forgot time.Time       // when requests were last forgotten

	failing bool // the last round failed
}

// place is how far a notice has come.
type place struct {
	state notifier.State
	done  int64
}

func newRelay(p *Pipeline) *relay {
	return &relay{p: p, lease: NewLease(p.c.Redis, p.c.Keys, "relay", relayLease), seen: map[int64]place{}}
}

// run looks until ctx ends, and returns nil.
func (r *relay) run(ctx context.Context) error {
	tick := time.NewTicker(r.p.c.Poll)
	defer tick.Stop()
	lost := false
	for ctx.Err() == nil {
		r.note(ctx, r.look(ctx, lost))
		lost = false
		select {
		case <-tick.C:
		case <-r.p.intake.Lost():
			lost = true
		case <-ctx.Done():
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := r.lease.Release(ctx); err != nil { // it lapses by itself
		r.p.c.Log.DebugContext(ctx, "lease not released", "stage", "relay", "err", err)
	}
	return nil
}

// look does one round, if it is this instance's to do. When the stream was lost it
// is, and nothing that is unfinished is taken to be under way.
func (r *relay) look(ctx context.Context, lost bool) error {
	ctx, cancel := context.WithTimeout(ctx, relayTime)
	defer cancel()
	mine, err := r.lease.Hold(ctx)
	r.p.away.Store(err != nil)
	if err != nil {
		return err
	}
	if !mine && !lost {
		clear(r.seen)
		return nil
	}
	if err := r.round(ctx, lost); err != nil {
		return err
	}
	if now := r.p.c.Now(); now.Sub(r.forgot) >= forgetEvery {
		if _, err := r.p.c.Store.ForgetKeys(ctx, now.Add(-keepKeys)); err != nil {
			return err
		}
		r.forgot = now
	}
	return nil
}

// round finds the notices that have not moved since the last one and have no entry
// in the stream, and puts them in.
func (r *relay) round(ctx context.Context, lost bool) error {
	now := make(map[int64]place)
	var still []int64
	for after := int64(0); len(now) < relayWindow; {
		page, err := r.p.c.Store.Unfinished(ctx, after, relayPage)
		if err != nil {
			return err
		}
		for _, n := range page {
			at := place{n.State, n.Done}
			if was, ok := r.seen[n.ID]; lost || ok && was == at {
				still = append(still, n.ID)
			}
			now[n.ID], after = at, n.ID
		}
		if len(page) < relayPage {
			break
		}
	}
	r.seen = now
	if len(still) == 0 {
		return nil
	}
	missing, err := r.p.intake.Missing(ctx, still)
	if err != nil {
		return err
	}
	return r.put(ctx, missing)
}

// put stops where the intake has enough to do: the next round goes on.
func (r *relay) put(ctx context.Context, ids []int64) error {
	for part := range slices.Chunk(ids, relayPut) {
		if r.p.overfed() {
			return nil
		}
		entries, err := r.p.entries(ctx, part, false)
		if err == nil {
			err = r.p.intake.Put(ctx, entries...)
		}
		if err != nil {
			return err
		}
		for _, id := range part {
			delete(r.seen, id) // it has a whole round from here on
		}
		r.p.c.Log.DebugContext(ctx, "notices put into the intake again", "stage", "relay", "notices", len(entries))
	}
	return nil
}

// note logs when it begins to fail, and when that is over.
func (r *relay) note(ctx context.Context, err error) {
	if ctx.Err() != nil || r.failing == (err != nil) {
		return
	}
	if r.failing = err != nil; r.failing {
		r.p.c.Log.WarnContext(ctx, "notices wait in sql", "stage", "relay", "err", err)
	} else {
		r.p.c.Log.InfoContext(ctx, "notices are delivered again", "stage", "relay")
	}
}

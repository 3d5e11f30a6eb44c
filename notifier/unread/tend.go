package unread

import (
	"context"
	"time"
)

const (
	evictBatch  = 500 // inboxes of one partition in a round
	sampleEvery = 10 * time.Second
)

// tend looks after the inboxes: who has been idle for long leaves Redis, one partition
// a round, and some are checked for drift. It is no part of writing behind, and
// what fails is tried again: so it only logs.
func (g *group) tend(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	f, p := g.f, g.first+g.tended
	g.tended = (g.tended + 1) % groupSize
	if f.c.Idle > 0 {
		n, _, err := f.c.Inbox.Evict(ctx, p, f.c.Now().Add(-f.c.Idle), evictBatch)
		f.evicted.Add(int64(n))
		g.complain(ctx, "evict", err)
	}
	if now := f.c.Now(); f.c.Sample > 0 && now.Sub(g.sampled) >= sampleEvery {
		g.sampled = now
		g.complain(ctx, "check", g.sample(ctx))
	}
}

// sample checks some inboxes, of as many partitions as it takes to find so many.
func (g *group) sample(ctx context.Context) error {
	n := max(1, g.f.c.Sample/groups)
	var seqs []int64
	for i := 0; i < groupSize && len(seqs) < n; i++ {
		some, err := g.f.c.Inbox.Sample(ctx, g.first+g.checked, n-len(seqs))
		if err != nil {
			return err
		}
		seqs = append(seqs, some...)
		g.checked = (g.checked + 1) % groupSize
	}
	if len(seqs) == 0 {
		return nil
	}
	found, err := g.f.c.Inbox.Check(ctx, seqs)
	g.f.checked.Add(int64(len(seqs)))
	for _, d := range found {
		g.f.c.Log.WarnContext(ctx, "drift mended", "stage", "unread", "user_id", d.Seq, "kind", string(d.Kind))
	}
	g.f.mu.Lock()
	defer g.f.mu.Unlock()
	for _, d := range found {
		g.f.drift[d.Kind]++
	}
	return err
}

// complain logs what no round will log: that Redis or SQL is away the next one finds.
func (g *group) complain(ctx context.Context, stage string, err error) {
	if err != nil && !away(err) {
		g.f.c.Log.WarnContext(ctx, "inboxes not looked after", "stage", stage, "err", err)
	}
}

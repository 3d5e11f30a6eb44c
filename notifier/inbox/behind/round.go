package behind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// round is one pass over the marks that a group had when the round began.
type round struct {
	start   int64                       // ms
	pending [groupSize]bool             // partitions that may have more marks
	last    [groupSize][]notifier.Dirty // the marks last found in each
	stuck   error
}

func newRound(now time.Time) *round {
	r := &round{start: now.UnixMilli()}
	for i := range r.pending {
		r.pending[i] = true
	}
	return r
}

func (r *round) done() bool { return r.pending == [groupSize]bool{} }

var errMarks = errors.New("marks remain although their inboxes were written")

// gather collects marks, one partition after another. It starts after the partition at which the
// previous batch was full, so that a partition with constant changes does not starve the others. A
// partition whose oldest mark is newer than the round waits for the next round.
func (g *group) gather(ctx context.Context, r *round) (marks []mark, err error) {
	var oldest int64
	for n := 0; n < groupSize && len(marks) < maxUsers; n++ {
		i := g.turn
		g.turn = (g.turn + 1) % groupSize
		if !r.pending[i] {
			continue
		}
		limit := maxUsers - len(marks)
		found, err := g.f.c.Inbox.Dirty(ctx, g.first+i, limit)
		if err != nil {
			return nil, fmt.Errorf("read marks of partition %d: %w", g.first+i, err)
		}
		r.pending[i] = len(found) >= limit && found[0].Ver <= r.start
		if r.pending[i] && slices.Equal(found, r.last[i]) {
			r.pending[i] = false
			r.stuck = fmt.Errorf("partition %d: %w", g.first+i, errMarks)
			continue
		}
		r.last[i] = found
		for _, d := range found {
			marks = append(marks, mark{d, g.first + i})
			if oldest == 0 || d.Ver < oldest {
				oldest = d.Ver
			}
		}
	}
	g.oldest.Store(oldest)
	return marks, nil
}

const (
	evictBatch  = 500 // inboxes per partition and round
	sampleEvery = 10 * time.Second
)

// tend evicts long idle inboxes from Redis, one partition per round, and checks a few inboxes for
// drift. It is not part of the write-behind and is retried anyway, so errors are only logged.
func (g *group) tend(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	f, p := g.f, g.first+g.tended
	g.tended = (g.tended + 1) % groupSize
	n, _, err := f.c.Inbox.Evict(ctx, p, f.c.Now().Add(-idleAfter), evictBatch)
	f.evicted.Add(int64(n))
	g.logFailure(ctx, "evict", err)
	if now := f.c.Now(); now.Sub(g.sampled) >= sampleEvery {
		g.sampled = now
		g.logFailure(ctx, "check", g.sample(ctx))
	}
}

// sample checks a few inboxes for drift, from as many partitions as necessary.
func (g *group) sample(ctx context.Context) error {
	const n = perSample / groups
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
		g.f.c.Log.WarnContext(ctx, "repaired drift", "stage", "unread", "user_id", d.Seq, "kind", string(d.Kind))
	}
	g.f.mu.Lock()
	defer g.f.mu.Unlock()
	for _, d := range found {
		g.f.drift[d.Kind]++
	}
	return err
}

// logFailure logs an error unless it means that Redis or SQL is unavailable: the next round logs
// that.
func (g *group) logFailure(ctx context.Context, stage string, err error) {
	if err != nil && !away(err) {
		g.f.c.Log.WarnContext(ctx, "inbox maintenance failed", "stage", stage, "err", err)
	}
}

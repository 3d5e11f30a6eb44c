package unread

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// round is one pass over the marks of a group that existed when it began.
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
// last batch became full, so that no partition starves behind one that changes all the time. A
// partition whose oldest mark is newer than the round is left for the next round.
func (g *group) gather(ctx context.Context, r *round) (marks []mark, err error) {
	var oldest int64
	for n := 0; n < groupSize && len(marks) < g.f.c.Batch; n++ {
		i := g.turn
		g.turn = (g.turn + 1) % groupSize
		if !r.pending[i] {
			continue
		}
		limit := g.f.c.Batch - len(marks)
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

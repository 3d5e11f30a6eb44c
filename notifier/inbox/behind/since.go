package behind

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// markEvery is the interval at which SQL records up to when it is complete.
const markEvery = 30 * time.Second

// since is the time up to which SQL is complete once a round has succeeded.
type since struct {
	until time.Time
	life  string
}

// begin determines, before a round, up to when SQL will be complete after it; nil: currently
// unknown. Every later change of an inbox comes from a notice that is being delivered now or is
// accepted later.
func (g *group) begin(ctx context.Context) (*since, error) {
	s := &since{until: g.f.c.Now()}
	var whole bool
	var err error
	if s.life, whole, err = g.f.c.Inbox.Life(ctx, g.first, groupSize); err != nil || !whole {
		return nil, err
	}
	if g.f.c.Oldest == nil {
		return s, nil
	}
	oldest, some, err := g.f.c.Oldest(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the age of undelivered notices: %w", err)
	case some && oldest.IsZero():
		return nil, nil
	case some && oldest.Before(s.until):
		s.until = oldest
	}
	return s, nil
}

// note records the time in SQL, unless Redis has lost data since begin: changes lost during the
// round were not written.
func (g *group) note(ctx context.Context, s *since) error {
	life, whole, err := g.f.c.Inbox.Life(ctx, g.first, groupSize)
	if err != nil || !whole || life != s.life {
		return err
	}
	if err = g.f.c.Store.SetFlushed(ctx, map[int]time.Time{g.first / groupSize: s.until}); err != nil {
		return fmt.Errorf("record until when inboxes are written: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.marked = g.f.c.Now()
	return nil
}

const (
	freshFor = time.Minute // how long after delivery the counts of a notice are read directly
	maxFresh = 1000        // maximum number of notices per partition and round
)

// note records the recent deliveries to inboxes that were just saved.
func (c *counts) note(all []notifier.Snapshot) {
	if c.rdb == nil {
		return
	}
	since := c.now().Add(-freshFor).UnixMilli()
	for i := range all {
		w := &c.walks[keys.Partition(all[i].Seq)-c.first]
		for _, row := range all[i].Rows {
			if row.At < since || len(w.fresh) >= maxFresh {
				break
			}
			if w.fresh == nil {
				w.fresh = map[int64]bool{}
			}
			w.fresh[row.NoticeID] = true
		}
	}
}

package behind

import (
	"context"
	"fmt"
	"maps"
	"slices"
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
// unknown. Every later delivery is of a notice that is being delivered now or is accepted later. The
// late marks are read last: a notice delivered before has one, or the round writes its inboxes.
func (g *group) begin(ctx context.Context) (*since, error) {
	s := &since{until: g.f.c.Now()}
	var whole bool
	var err error
	if s.life, whole, err = g.f.c.Inbox.Life(ctx, g.first, groupSize); err != nil || !whole {
		return nil, err
	}
	if g.f.c.Oldest != nil {
		oldest, some, err := g.f.c.Oldest(ctx)
		switch {
		case err != nil:
			return nil, fmt.Errorf("read the age of undelivered notices: %w", err)
		case some && oldest.IsZero():
			return nil, nil
		case some && oldest.Before(s.until):
			s.until = oldest
		}
	}
	late, _, err := g.lateMarks(ctx)
	if err != nil {
		return nil, err
	}
	for _, at := range late {
		if oldest := time.UnixMilli(at); at > 0 && oldest.Before(s.until) {
			s.until = oldest
		}
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

// delivered notes that this process delivered a notice in a partition.
func (c *counts) delivered(i int, id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rdb == nil || len(c.fresh[i]) >= maxFresh {
		return
	}
	if c.fresh[i] == nil {
		c.fresh[i] = map[int64]bool{}
	}
	c.fresh[i][id] = true
}

// saveDelivered saves the counts of the notices that this process delivered since the last call. It does not need the
// lease: saving a count never lowers it. The walk saves counts that this misses.
func (c *counts) saveDelivered(ctx context.Context) error {
	c.mu.Lock()
	fresh := c.fresh
	c.fresh = [groupSize]map[int64]bool{}
	c.mu.Unlock()
	var changed []notifier.NoticeCount
	for i, ids := range fresh {
		if len(ids) == 0 {
			continue
		}
		some, err := c.both(ctx, c.first+i, slices.Sorted(maps.Keys(ids)))
		if err != nil {
			return err
		}
		changed = append(changed, some...)
	}
	if len(changed) == 0 {
		return nil
	}
	if err := c.store.SaveCounts(ctx, changed); err != nil {
		return fmt.Errorf("save counts: %w", err)
	}
	return nil
}

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

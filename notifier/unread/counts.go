package unread

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// countPage is about how many fields one look at the counts of a partition returns.
const countPage = 1000

// counts walks through how far notices came, in all partitions of a group, a page of
// each a round: how many notices there are says how long it takes, not how much is
// done at a time. Of what came just now nobody waits for the walk. A page that is as it
// was when it was saved is not saved again; a checksum for some 500 notices is all that
// is kept of it.
type counts struct {
	rdb   redis.UniversalClient // nil: no counts
	inbox Inbox
	store Store
	keys  keys.Space
	now   func() time.Time
	first int // partition
	walks [groupSize]walk
}

// walk is a way through the counts of a partition.
type walk struct {
	cursor uint64
	next   map[uint64]uint64 // of this walk: cursor → checksum
	last   map[uint64]uint64 // of the walk before
	fresh  map[int64]bool    // notices that came since the last round

	forgetting bool // on this way what is over leaves
	forgot     time.Time
}

// page is what one look found.
type page struct {
	offset          int // of its partition
	at, cursor, sum uint64
	fields          []string
}

// round saves the next page of each partition that is not done, and what is fresh, as
// far as it changed. done are then those that were walked to their end, and those that
// refuse, which are left out.
func (c *counts) round(ctx context.Context, done *[groupSize]bool) (first error) {
	if c.rdb == nil {
		*done = [groupSize]bool{true, true, true, true, true, true, true, true}
		return nil
	}
	var pages []page
	var changed []notifier.NoticeCount
	for i := range c.walks {
		if done[i] {
			continue
		}
		pg, some, err := c.look(ctx, i)
		if err != nil {
			first, done[i] = cmp.Or(first, err), true
			c.walks[i] = walk{forgot: c.walks[i].forgot}
			continue
		}
		pages, changed = append(pages, pg), append(changed, some...)
	}
	if len(changed) > 0 {
		if err := c.store.SaveCounts(ctx, changed); err != nil {
			for _, pg := range pages {
				c.walks[pg.offset], done[pg.offset] = walk{forgot: c.walks[pg.offset].forgot}, true
			}
			return cmp.Or(first, fmt.Errorf("save counts: %w", err))
		}
	}
	for _, pg := range pages {
		if err := c.step(ctx, pg); err != nil {
			first = cmp.Or(first, fmt.Errorf("forget counts: %w", err))
		}
		done[pg.offset] = pg.cursor == 0
	}
	return first
}

// look reads the next page of a partition, and what is fresh in it, and answers what of
// that has changed.
func (c *counts) look(ctx context.Context, i int) (pg page, changed []notifier.NoticeCount, err error) {
	w, p := &c.walks[i], c.first+i
	if w.cursor == 0 {
		if w.forgetting = w.last != nil && c.now().Sub(w.forgot) >= forgetEvery; w.forgetting { // the first walk only saves
			w.forgot = c.now()
		}
	}
	pg = page{offset: i, at: w.cursor}
	if pg.fields, pg.cursor, err = c.rdb.HScan(ctx, c.keys.Counts(p), pg.at, "", countPage).Result(); err != nil {
		return pg, nil, fmt.Errorf("read counts: %w", err)
	}
	pg.sum = checksum(pg.fields)
	if old, known := w.last[pg.at]; len(pg.fields) > 0 && (!known || old != pg.sum) {
		changed = parseCounts(p, pg.fields)
	}
	fresh := slices.Sorted(maps.Keys(w.fresh))
	w.fresh = nil
	if len(fresh) == 0 || pg.at == 0 && pg.cursor == 0 { // this page is all there is
		return pg, changed, nil
	}
	some, err := c.both(ctx, p, fresh)
	return pg, append(changed, some...), err
}

// step takes out what is over in a page that is saved, and goes on behind it.
func (c *counts) step(ctx context.Context, pg page) error {
	w := &c.walks[pg.offset]
	if w.next == nil {
		w.next = map[uint64]uint64{}
	}
	w.next[pg.at] = pg.sum
	if w.cursor = pg.cursor; pg.cursor == 0 {
		w.last, w.next = w.next, nil
	}
	if !w.forgetting {
		return nil
	}
	return c.forget(ctx, c.first+pg.offset, pg.fields)
}

// all saves what changed in all partitions of the group, from the first page on.
func (c *counts) all(ctx context.Context) (first error) {
	for i := range c.walks {
		c.walks[i].cursor, c.walks[i].next = 0, nil
	}
	for done := (&[groupSize]bool{}); slices.Contains(done[:], false) && ctx.Err() == nil; {
		first = cmp.Or(first, c.round(ctx, done))
	}
	return first
}

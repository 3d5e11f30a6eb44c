package behind

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// countPage is the approximate number of fields that one HSCAN of a partition's counts returns.
const countPage = 1000

// counts copies the delivery counts of notices from Redis to SQL. In each round it reads one more
// page of each partition of a group, so the number of notices determines the duration of a walk, but
// not the size of a step. Recently delivered notices are saved without waiting for the walk. A page
// that has not changed since it was saved is not saved again; this needs one checksum per page, of
// about 500 notices, in memory.
type counts struct {
	rdb   redis.UniversalClient // nil: no counts
	inbox Inbox
	store Store
	keys  keys.Space
	now   func() time.Time
	first int // the first partition
	walks [groupSize]walk

	mu    sync.Mutex
	fresh [groupSize]map[int64]bool // notices delivered by this process since they were last saved
}

// walk is the state of the walk through the counts of one partition.
type walk struct {
	cursor uint64
	next   map[uint64]uint64 // of this walk: cursor → checksum of the page
	last   map[uint64]uint64 // the same, of the previous walk
	fresh  map[int64]bool    // notices delivered since the last round

	forgetting  bool // this walk also removes the counts of finished notices
	forgottenAt time.Time
}

// page is the result of reading one page.
type page struct {
	offset          int // of its partition within the group
	at, cursor, sum uint64
	fields          []string
}

// round saves the next page of each unfinished partition, and the fresh notices, unless they are
// unchanged. Afterwards done is also true for partitions whose walk is complete and for failed
// partitions, which are skipped.
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
			c.walks[i] = walk{forgottenAt: c.walks[i].forgottenAt}
			continue
		}
		pages, changed = append(pages, pg), append(changed, some...)
	}
	if len(changed) > 0 {
		if err := c.store.SaveCounts(ctx, changed); err != nil {
			for _, pg := range pages {
				c.walks[pg.offset], done[pg.offset] = walk{forgottenAt: c.walks[pg.offset].forgottenAt}, true
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

// look reads the next page of a partition and its fresh notices, and returns the changed
// counts.
func (c *counts) look(ctx context.Context, i int) (pg page, changed []notifier.NoticeCount, err error) {
	w, p := &c.walks[i], c.first+i
	if w.cursor == 0 {
		if w.forgetting = w.last != nil && c.now().Sub(w.forgottenAt) >= forgetEvery; w.forgetting { // the first walk only saves
			w.forgottenAt = c.now()
		}
	}
	pg = page{offset: i, at: w.cursor}
	if pg.fields, pg.cursor, err = c.rdb.HScan(ctx, c.keys.Counts(p), pg.at, "", countPage).Result(); err != nil {
		return pg, nil, fmt.Errorf("scan counts: %w", err)
	}
	pg.sum = checksum(pg.fields)
	if old, known := w.last[pg.at]; len(pg.fields) > 0 && (!known || old != pg.sum) {
		changed = parseCounts(p, pg.fields)
	}
	fresh := slices.Sorted(maps.Keys(w.fresh))
	w.fresh = nil
	if len(fresh) == 0 || pg.at == 0 && pg.cursor == 0 { // this page is the whole hash
		return pg, changed, nil
	}
	some, err := c.both(ctx, p, fresh)
	return pg, append(changed, some...), err
}

// step moves to the next page, after removing the counts of finished notices in a saved one.
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

// all saves every changed count of all partitions of the group, starting from the first page.
func (c *counts) all(ctx context.Context) (first error) {
	for i := range c.walks {
		c.walks[i].cursor, c.walks[i].next = 0, nil
	}
	for done := (&[groupSize]bool{}); slices.Contains(done[:], false) && ctx.Err() == nil; {
		first = cmp.Or(first, c.round(ctx, done))
	}
	return first
}

var seed = maphash.MakeSeed()

func checksum(fields []string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, f := range fields {
		_, _ = h.WriteString(f)
		_ = h.WriteByte(' ')
	}
	return h.Sum64()
}

// parseCounts parses pairs of field and value. If only one of a notice's two fields is on this
// page, the other is 0 in the result; saving it does not lower the stored count.
func parseCounts(p int, fields []string) []notifier.NoticeCount {
	at := map[int64]int{}
	var all []notifier.NoticeCount
	for i := 0; i+1 < len(fields); i += 2 {
		word, kind, _ := strings.Cut(fields[i], ":")
		id, err := strconv.ParseInt(word, 10, 64)
		n, err2 := strconv.ParseInt(fields[i+1], 10, 64)
		if err != nil || err2 != nil || id <= 0 || n < 0 || kind != "d" && kind != "r" {
			continue // no script writes such a field
		}
		k, known := at[id]
		if !known {
			k, at[id] = len(all), len(all)
			all = append(all, notifier.NoticeCount{NoticeID: id, Partition: p})
		}
		if kind == "d" {
			all[k].Delivered = n
		} else {
			all[k].Read = n
		}
	}
	return all
}

package unread

import (
	"context"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// countPage is about how many fields one look at the counts returns.
const countPage = 1000

// counts walks through how far notices came, in the partitions of a group, a
// page a round: how many notices there are says how long it takes, not how much
// is done at a time. A page that is as it was when it was saved is not saved again; a
// checksum for some 500 notices is all that is kept of it.
type counts struct {
	rdb   redis.UniversalClient // nil: no counts
	store Store
	keys  keys.Space
	first int // partition

	part   int // offset of the partition at which it is
	cursor uint64
	next   map[uint64]uint64            // of this walk: cursor → checksum
	last   [groupSize]map[uint64]uint64 // of the walk before
}

var seed = maphash.MakeSeed()

// page saves the next page, if it changed. A partition that refuses is left out.
func (c *counts) page(ctx context.Context) error {
	if c.rdb == nil {
		return nil
	}
	at := c.cursor
	fields, cursor, err := c.rdb.HScan(ctx, c.keys.Counts(c.first+c.part), at, "", countPage).Result()
	if err != nil {
		c.nextPart(nil)
		return fmt.Errorf("read counts: %w", err)
	}
	sum := checksum(fields)
	if old, known := c.last[c.part][at]; len(fields) > 0 && (!known || old != sum) {
		if err = c.store.SaveCounts(ctx, parseCounts(c.first+c.part, fields)); err != nil {
			c.nextPart(nil)
			return fmt.Errorf("save counts: %w", err)
		}
	}
	if c.next == nil {
		c.next = map[uint64]uint64{}
	}
	c.next[at] = sum
	if c.cursor = cursor; cursor == 0 {
		c.nextPart(c.next)
	}
	return nil
}

// nextPart goes on to the next partition; seen is what was saved of this one.
func (c *counts) nextPart(seen map[uint64]uint64) {
	c.last[c.part], c.next = seen, nil
	c.part, c.cursor = (c.part+1)%groupSize, 0
}

// all saves what changed in all partitions of the group, from the first on.
func (c *counts) all(ctx context.Context) (first error) {
	if c.rdb == nil {
		return nil
	}
	c.part, c.cursor, c.next = 0, 0, nil
	for {
		if err := c.page(ctx); err != nil && first == nil {
			first = err
		}
		if c.part == 0 && c.cursor == 0 || ctx.Err() != nil {
			return first
		}
	}
}

func checksum(fields []string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, f := range fields {
		_, _ = h.WriteString(f)
		_ = h.WriteByte(' ')
	}
	return h.Sum64()
}

// parseCounts reads pairs of field and value. When only one of a notice's two fields
// is on this page the other is 0 here, and what was saved of it is not lowered.
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

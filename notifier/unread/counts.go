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

// page saves the next page, if it changed.
func (c *counts) page(ctx context.Context) error {
	if c.rdb == nil {
		return nil
	}
	p := c.first + c.part
	fields, cursor, err := c.rdb.HScan(ctx, c.keys.Counts(p), c.cursor, "", countPage).Result()
	if err != nil {
		return fmt.Errorf("read the counts of partition %d: %w", p, err)
	}
	sum := checksum(fields)
	if old, known := c.last[c.part][c.cursor]; len(fields) > 0 && (!known || old != sum) {
		if err = c.store.SaveCounts(ctx, parseCounts(p, fields)); err != nil {
			return fmt.Errorf("save the counts of partition %d: %w", p, err)
		}
	}
	if c.next == nil {
		c.next = map[uint64]uint64{}
	}
	c.next[c.cursor] = sum
	if c.cursor = cursor; cursor == 0 {
		c.last[c.part], c.next = c.next, nil
		c.part = (c.part + 1) % groupSize
	}
	return nil
}

// all saves what changed in all partitions of the group, from the first on.
func (c *counts) all(ctx context.Context) error {
	c.part, c.cursor, c.next = 0, 0, nil
	for {
		if err := c.page(ctx); err != nil {
			return err
		}
		if c.rdb == nil || c.part == 0 && c.cursor == 0 {
			return nil
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

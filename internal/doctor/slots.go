package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

const clusterSlots = 16384 // of any Redis Cluster

// spread examines how evenly the masters of a cluster share the partitions.
func (e *examination) spread(ctx context.Context, prefix string, rdb *redis.ClusterClient) error {
	space, load := keys.New(prefix), map[string]int{}
	for p := range keys.Partitions {
		master, err := rdb.MasterForKey(ctx, space.Dirty(p))
		if err != nil {
			return fmt.Errorf("find the master of partition %d: %w", p, err)
		}
		load[master.Options().Addr]++
	}
	var masters atomic.Int64
	err := rdb.ForEachMaster(ctx, func(context.Context, *redis.Client) error {
		masters.Add(1)
		return nil
	})
	if err != nil {
		return fmt.Errorf("list the masters: %w", err)
	}
	e.shares(space, append(slices.Collect(maps.Values(load)), make([]int, int(masters.Load())-len(load))...))
	return nil
}

// shares judges the numbers of partitions that the masters serve. Hashing spreads 64 of them unevenly over many
// masters, and the busiest one limits the throughput of all.
func (e *examination) shares(space keys.Space, load []int) {
	found := fmt.Sprintf("%d masters serve %d to %d of the %d partitions each", len(load), slices.Min(load), slices.Max(load), keys.Partitions)
	if fair := (keys.Partitions + len(load) - 1) / len(load); 4*slices.Max(load) <= 5*fair {
		e.ok("redis slots", "%s", found)
		return
	}
	e.note("redis slots", found, "the busiest master is the limit: give each master one of the slot ranges "+
		strings.Join(fairRanges(space, len(load)), " ")+", with redis-cli --cluster reshard")
}

// fairRanges divides all slots among masters such that the numbers of partitions differ by at most one.
func fairRanges(space keys.Space, masters int) []string {
	masters = min(masters, keys.Partitions)
	slots := make([]int, keys.Partitions)
	for p := range slots {
		slots[p] = slotOf(space.Dirty(p))
	}
	slices.Sort(slots)
	ranges, from := make([]string, masters), 0
	for i := range masters {
		to := clusterSlots - 1
		if next := (i + 1) * keys.Partitions / masters; next < keys.Partitions {
			to = (slots[next-1] + slots[next]) / 2
		}
		ranges[i] = fmt.Sprintf("%d-%d", from, to)
		from = to + 1
	}
	return ranges
}

// slotOf returns the slot of a key with a hash tag: its CRC16 (XMODEM), as the specification of Redis Cluster says.
func slotOf(key string) int {
	_, tag, _ := strings.Cut(key, "{")
	tag, _, _ = strings.Cut(tag, "}")
	var crc uint16
	for i := range len(tag) {
		crc ^= uint16(tag[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc) % clusterSlots
}

package guard

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// mapWait limits the search for the masters of a cluster: the first queried node may be gone, which
// takes 2 s to detect.
const mapWait = 3 * time.Second

// place is one master with its partitions.
type place struct {
	client     *redis.Client
	partitions []int
}

// places returns the current masters.
func (g *Guard) places(ctx context.Context) ([]place, error) {
	switch rdb := g.c.Raw.(type) {
	case *redis.Client:
		all := make([]int, keys.Partitions)
		for p := range all {
			all[p] = p
		}
		return []place{{rdb, all}}, nil
	case *redis.ClusterClient:
		return g.shards(ctx, rdb)
	}
	return nil, fmt.Errorf("check redis: %T has no masters", g.c.Raw)
}

func (g *Guard) shards(ctx context.Context, rdb *redis.ClusterClient) ([]place, error) {
	ctx, cancel := context.WithTimeout(ctx, mapWait)
	defer cancel()
	var mu sync.Mutex
	var all []place
	err := rdb.ForEachMaster(ctx, func(_ context.Context, master *redis.Client) error {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, place{client: master})
		return nil
	})
	if err != nil {
		return nil, unavailable("find the masters of the cluster", err)
	}
	for p := range keys.Partitions {
		master, err := rdb.MasterForKey(ctx, g.c.Keys.Flushed(p))
		if err != nil {
			return nil, unavailable("find the master of a partition", err)
		}
		i := slices.IndexFunc(all, func(at place) bool { return at.client == master })
		if i < 0 { // the cluster has changed
			i, all = len(all), append(all, place{client: master})
		}
		all[i].partitions = append(all[i].partitions, p)
	}
	return all, nil
}

// reload makes a cluster client look up the masters again.
func (g *Guard) reload(ctx context.Context) {
	if cluster, ok := g.c.Raw.(*redis.ClusterClient); ok {
		cluster.ReloadState(ctx)
	}
}

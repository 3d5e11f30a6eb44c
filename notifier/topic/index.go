package topic

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// index is what Redis holds: the topics that have a set.
type index struct {
	lost   bool                    // the member that marks the index as whole is missing
	has    map[notifier.Topic]bool // listed in the index
	strays map[notifier.Topic]bool // topics that may have a set and have not been met in SQL
}

// readIndex reads the index. When it is lost, all keys are scanned for sets that nothing else would
// find.
func (t *Topics) readIndex(ctx context.Context) (x index, err error) {
	x.lost, x.has, x.strays = true, map[notifier.Topic]bool{}, map[notifier.Topic]bool{}
	all, err := t.rdb.SMembers(ctx, t.k.SubscriberIndex()).Result()
	if err != nil {
		return x, err
	}
	for _, m := range all {
		if m == whole {
			x.lost = false
		} else if topic, ok := fromIndex(m); ok {
			x.has[topic] = true
		}
	}
	x.strays = maps.Clone(x.has)
	if !x.lost {
		return x, nil
	}
	var mu sync.Mutex
	return x, t.eachMaster(ctx, func(ctx context.Context, c redis.Cmdable) error {
		scan := c.Scan(ctx, 0, t.k.AllSubscribers(), saddBatch).Iterator()
		for scan.Next(ctx) {
			if topic, ok := t.k.TopicOf(scan.Val()); ok {
				mu.Lock()
				x.strays[topic] = true
				mu.Unlock()
			}
		}
		return scan.Err()
	})
}

// addToIndex adds the topics that are missing, and takes all of them off the strays.
func (t *Topics) addToIndex(ctx context.Context, x index, found []notifier.TopicSubscribers) error {
	var missing []any
	for i := range found {
		if delete(x.strays, found[i].Topic); !x.has[found[i].Topic] {
			missing = append(missing, indexed(found[i].Topic))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := t.rdb.SAdd(ctx, t.k.SubscriberIndex(), missing...).Err(); err != nil {
		return fmt.Errorf("write the index of the subscribers: %w", script.MarkAway(err))
	}
	return nil
}

func (t *Topics) eachMaster(ctx context.Context, do func(ctx context.Context, c redis.Cmdable) error) error {
	if cluster, ok := t.rdb.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error { return do(ctx, c) })
	}
	return do(ctx, t.rdb)
}

package topic

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// index is the state in Redis: the topics that have a set.
type index struct {
	lost   bool                    // the member that marks the index as complete is missing
	has    map[notifier.Topic]bool // listed in the index
	strays map[notifier.Topic]bool // topics that may have a set but have not been found in SQL
}

// readIndex reads the index. If it is lost, all keys are scanned for sets that could not be found
// otherwise.
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

// addToIndex adds the missing topics, and removes all of them from the strays.
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

// compare updates the sets of these topics from SQL. It reports whether any set is newer than the
// revision.
func (t *Topics) compare(ctx context.Context, found []notifier.TopicSubscribers, revision int64, force bool) (later bool, err error) {
	// Claim first: from then on older changes are rejected, so the subscribers read next stay valid, or the set is
	// newer.
	claims := script.NewPipe(t.rdb, len(found))
	claimed := make([]*redis.Cmd, len(found))
	for i := range found {
		claimed[i] = claims.Add(ctx, claimSubscribers, 1, t.k.SubscribersVersion(found[i].Topic), revision, flag(force))
	}
	if err := claims.Exec(ctx); err != nil {
		return false, fmt.Errorf("claim the sets of %d topics: %w", len(found), script.MarkAway(err))
	}
	pipe := t.rdb.Pipeline()
	sets := make([]*redis.StringSliceCmd, len(found))
	for i := range found {
		sets[i] = pipe.SMembers(ctx, t.k.Subscribers(found[i].Topic))
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	var differ []notifier.TopicSubscribers
	for i := range found {
		if err := sets[i].Err(); err != nil && !redis.HasErrorPrefix(err, "WRONGTYPE") {
			return false, fmt.Errorf("read the subscribers of a topic: %w", script.MarkAway(err))
		}
		if n, err := code(claimed[i]); err != nil {
			return false, err
		} else if n == codeLater {
			later = true
			continue
		}
		if s, ok := parse(found[i].Topic, sets[i].Val()); !ok || !equal(&s, &found[i]) {
			differ = append(differ, found[i])
		}
	}
	newer, err := t.replace(ctx, differ, revision, force)
	return later || newer, err
}

// drop removes the sets of topics without subscribers. It reports whether any set is newer than the
// revision.
func (t *Topics) drop(ctx context.Context, topics []notifier.Topic, revision int64, force bool) (later bool, err error) {
	for some := range slices.Chunk(topics, page) {
		none, left := make([]notifier.TopicSubscribers, len(some)), make([]any, len(some))
		for i, topic := range some {
			none[i].Topic, left[i] = topic, indexed(topic)
		}
		newer, err := t.replace(ctx, none, revision, force)
		if err != nil {
			return false, err
		}
		if newer { // the remaining sets must stay in the index
			later = true
			continue
		}
		if err := t.rdb.SRem(ctx, t.k.SubscriberIndex(), left...).Err(); err != nil {
			return false, fmt.Errorf("write the index of the subscribers: %w", script.MarkAway(err))
		}
	}
	return later, nil
}

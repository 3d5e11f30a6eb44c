package topic

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// SubscribersOf returns the subscribers of each topic, in order, with users and roles sorted. It
// reads Redis in one round trip, and SQL if Redis is unavailable or possibly outdated. A change made by
// another instance is visible immediately, or within Options.Every if that instance could not write it
// through.
func (t *Topics) SubscribersOf(ctx context.Context, topics []notifier.Topic) ([]notifier.TopicSubscribers, error) {
	found := make([]notifier.TopicSubscribers, len(topics))
	if len(topics) == 0 {
		return found, nil
	}
	lacking, revision := t.fromRedis(ctx, topics, found)
	if len(lacking) == 0 {
		return found, nil
	}
	asked := make([]notifier.Topic, len(lacking))
	for i, at := range lacking {
		asked[i] = topics[at]
	}
	fromSQL, err := t.store.SubscribersOf(ctx, asked)
	if err != nil {
		return nil, fmt.Errorf("read the subscribers of %d topics: %w", len(asked), err)
	}
	lost := false
	for i, at := range lacking {
		found[at] = fromSQL[i]
		lost = lost || len(fromSQL[i].Users)+len(fromSQL[i].Roles) > 0
	}
	if lost && revision != unseen {
		// SQL has subscribers but Redis has no set: a loss, unless the set was just created.
		if now, err := t.readRevision(ctx); err == nil && now == revision {
			t.Suspect()
		}
	}
	return found, nil
}

// fromRedis fills in the sets that are certainly current in Redis, and returns the indexes of the
// others. It also returns the revision of the sets, or unseen if none was certain.
func (t *Topics) fromRedis(ctx context.Context, topics []notifier.Topic, found []notifier.TopicSubscribers) (lacking []int, revision int64) {
	sets, revision := t.sets(ctx, topics)
	for i := range topics {
		ok := false
		if revision != unseen {
			found[i], ok = parse(topics[i], sets[i].Val())
		}
		if !ok {
			lacking = append(lacking, i)
		}
	}
	return lacking, revision
}

// sets reads the sets of topics if they have SQL's current revision; otherwise it returns
// unseen.
func (t *Topics) sets(ctx context.Context, topics []notifier.Topic) (sets []*redis.StringSliceCmd, revision int64) {
	if t.behind() {
		return nil, unseen
	}
	waiting, cancel := context.WithTimeout(ctx, redisWait)
	defer cancel()
	seen := t.seen.Load()
	pipe := t.rdb.Pipeline()
	at := pipe.Get(waiting, t.k.SubscriberRevision())
	sets = make([]*redis.StringSliceCmd, len(topics))
	for i, topic := range topics {
		sets[i] = pipe.SMembers(waiting, t.k.Subscribers(topic))
	}
	_, _ = pipe.Exec(waiting) // each command has its own error
	revision, err := parseRevision(at)
	if err != nil || revision == unseen {
		return nil, unseen
	}
	if revision != seen {
		// Another instance has changed something, or Redis has lost a change.
		if now, err := t.readRevision(ctx); err != nil || now != revision {
			return nil, unseen
		}
	}
	return sets, revision
}

// readRevision reads and stores the revision of SQL.
func (t *Topics) readRevision(ctx context.Context) (int64, error) {
	was := t.seen.Load()
	now, err := t.store.SubscriptionRevision(ctx)
	if err != nil {
		return unseen, fmt.Errorf("read the revision of the subscriptions: %w", err)
	}
	t.seen.CompareAndSwap(was, now) // keep a concurrently stored change of this instance: it is later
	return now, nil
}

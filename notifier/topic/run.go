package topic

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Load reads the types, and brings the sets in Redis to what SQL says. Redis being
// away is no error: Run does it then.
func (t *Topics) Load(ctx context.Context) error { return t.refreshTypes(ctx) }

// Run keeps types and sets up to date until ctx ends, and then returns nil. While
// Redis or SQL is away it goes on trying.
func (t *Topics) Run(ctx context.Context) error {
	tick := time.NewTicker(t.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = t.refreshTypes(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

// SubscribersOf answers who subscribes to each of these topics, in their order: from
// Redis, or where that is not certain from SQL.
func (t *Topics) SubscribersOf(ctx context.Context, topics []notifier.Topic) ([]notifier.TopicSubscribers, error) {
	return t.store.SubscribersOf(ctx, topics)
}

func (t *Topics) through(context.Context, notifier.Subscription, int64, bool) {}

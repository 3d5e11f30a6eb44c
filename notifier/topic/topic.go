// Package topic manages the types of notices and the subscribers of topics. A topic is a type and a
// scope; users and roles subscribe to it.
//
// SQL is authoritative. Redis has a set of subscribers for each topic that has any, and one revision
// of SQL to which all the sets correspond. The sets are used while that is SQL's current revision;
// otherwise SQL is read. Each change is written through in the order of the revisions. A failed write
// leaves a gap in the revisions and is repaired from SQL. A change that began before a repair cannot
// undo it: each set has its own revision and accepts nothing older.
package topic

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	defaultEvery = 5 * time.Second
	defaultWhole = 10 * time.Minute
	redisWait    = 2 * time.Second // limit on Redis when a caller waits and SQL can serve instead
)

// Store is the part of SQL that topics need. SQL is authoritative.
type Store interface {
	// EnsureTypes creates missing types.
	EnsureTypes(ctx context.Context, slugs []string) error
	// Types returns all types, sorted by slug.
	Types(ctx context.Context) ([]notifier.NoticeType, error)
	// SaveType creates or replaces a type.
	SaveType(ctx context.Context, by notifier.Actor, t notifier.NoticeType) error
	// DeleteType returns notifier.ErrNotFound for an unknown type, and notifier.ErrConflict while
	// the type has subscribers.
	DeleteType(ctx context.Context, by notifier.Actor, slug string) error
	// DeleteUndescribed deletes the types that have neither a description nor subscribers, and
	// returns their number.
	DeleteUndescribed(ctx context.Context, by notifier.Actor) (int64, error)
	// SubscribeWithin and Unsubscribe return the revision of the subscriptions. Each change of a
	// subscription raises it by one in the same transaction, and nothing else does. One topic above most
	// is a *notifier.InvalidError with notifier.CodeTooManySubs; 0 is no limit.
	SubscribeWithin(ctx context.Context, by notifier.Actor, s notifier.Subscription, most int) (revision int64, added bool, err error)
	Unsubscribe(ctx context.Context, by notifier.Actor, s notifier.Subscription) (revision int64, removed bool, err error)
	// SubscriptionRevision also rises when a user or a role with subscriptions is deleted.
	SubscriptionRevision(ctx context.Context) (int64, error)
	// SubscribersOf returns the subscribers of each topic, in order; empty for a topic without any.
	SubscribersOf(ctx context.Context, topics []notifier.Topic) ([]notifier.TopicSubscribers, error)
	// AllSubscribers returns a page of the topics that have subscribers, sorted bytewise by type
	// and scope.
	AllSubscribers(ctx context.Context, after notifier.Topic, limit int) ([]notifier.TopicSubscribers, error)
	// SeqsByName returns the seq of each known name, and the unknown names.
	SeqsByName(ctx context.Context, names []string) (seqs map[string]int64, unknown []string, err error)
}

// Options configures New. Zero fields take their defaults.
type Options struct {
	Log   *slog.Logger     // default slog.Default()
	Now   func() time.Time // default time.Now
	Every time.Duration    // interval between rounds of Run; default 5 s
	Whole time.Duration    // interval between comparisons of all sets, regardless of their revision; default 10 min
	Keep  time.Duration    // longest life of a notice; default notifier.DefaultKeep
	Lease lease.Lease      // held while repairing; default lease.Always
}

// Topics contains the types and subscriptions of one key space. It is safe for concurrent use.
type Topics struct {
	rdb   redis.UniversalClient
	k     keys.Space
	store Store
	o     Options
	types types

	changing lock         // held during one subscription change of this instance
	syncing  lock         // held during one repair of this instance
	seen     atomic.Int64 // revision of SQL as last read
	broken   atomic.Int64 // faults found that need a repair
	mended   atomic.Int64 // value of broken when the last repair began
	compared atomic.Int64 // time of the last comparison of all sets (ms)
	wake     chan struct{}
}

// New returns the topics of a key space. It does not connect to Redis or SQL; until Load all types
// are unknown.
func New(rdb redis.UniversalClient, k keys.Space, s Store, o Options) *Topics {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Lease == nil {
		o.Lease = lease.Always
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Every <= 0 {
		o.Every = defaultEvery
	}
	if o.Whole <= 0 {
		o.Whole = defaultWhole
	}
	t := &Topics{
		rdb: rdb, k: k, store: s, o: o, types: types{loading: newLock()},
		changing: newLock(), syncing: newLock(), wake: make(chan struct{}, 1),
	}
	t.types.put(nil)
	t.seen.Store(unseen)
	return t
}

// unseen represents an unknown revision.
const unseen = -1

// lock is a mutex whose wait ends with a context.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

func (l lock) take(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l lock) give() { <-l }

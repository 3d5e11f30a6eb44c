// Package topic knows the types of notices, and who subscribes to what: to a type
// and a scope, users by themselves and roles.
//
// SQL is the truth. Redis holds a set of subscribers for each topic that has any, and
// the revision of SQL that all of them are made of: they are used as long as that is
// the revision of SQL, and SQL is asked otherwise. Each change is written through, in
// the order of the revisions; what fails there is found by the revision and repaired
// from SQL. Nothing that was begun before a repair can change what it made: each set
// has a revision of its own, and takes nothing older.
package topic

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	defaultEvery = 5 * time.Second
	defaultWhole = 10 * time.Minute
	redisWait    = 2 * time.Second // for what somebody waits for, and SQL can do as well
)

// Store is what topics need of SQL, which is the truth.
type Store interface {
	// EnsureTypes makes those types that are not there.
	EnsureTypes(ctx context.Context, slugs []string) error
	// Types answers all of them by slug.
	Types(ctx context.Context) ([]notifier.NoticeType, error)
	// SaveType makes a type or replaces it.
	SaveType(ctx context.Context, t notifier.NoticeType) error
	// DeleteType is notifier.ErrNotFound when there is none, notifier.ErrConflict
	// while somebody subscribes to it.
	DeleteType(ctx context.Context, slug string) error
	// SubscribeWithin and Unsubscribe answer the revision of the subscriptions. It rises
	// by one with each change of any of them, in the same transaction, and else stays.
	// One topic more than most is a *notifier.InvalidError with notifier.CodeTooManySubs; 0
	// is no limit.
	SubscribeWithin(ctx context.Context, s notifier.Subscription, most int) (revision int64, added bool, err error)
	Unsubscribe(ctx context.Context, s notifier.Subscription) (revision int64, removed bool, err error)
	// SubscriptionRevision rises also when a user or a role leaves that subscribes.
	SubscriptionRevision(ctx context.Context) (int64, error)
	// SubscribersOf answers in the order of what was asked, empty where nobody is.
	SubscribersOf(ctx context.Context, topics []notifier.Topic) ([]notifier.TopicSubscribers, error)
	// AllSubscribers answers the topics that have any, by type and scope as bytes.
	AllSubscribers(ctx context.Context, after notifier.Topic, limit int) ([]notifier.TopicSubscribers, error)
	// SeqsByName returns the seq of each name, and the names nobody bears.
	SeqsByName(ctx context.Context, names []string) (seqs map[string]int64, unknown []string, err error)
}

// Lease lets one instance do the work that any of them could do.
type Lease interface {
	// Hold takes the lease or lengthens it; false means another has it.
	Hold(ctx context.Context) (bool, error)
	// Release gives it back early, if it is ours.
	Release(ctx context.Context) error
}

// Options has a default for every field that is zero.
type Options struct {
	Log   *slog.Logger     // slog.Default()
	Now   func() time.Time // time.Now
	Every time.Duration    // between two looks of Run: 5 s
	Whole time.Duration    // between two comparisons of all sets, whatever their revision: 10 min
	Keep  time.Duration    // the longest life of a notice: notifier.DefaultKeep
	Lease Lease            // who repairs; nil: this instance does without asking
}

// Topics is the types and subscriptions of one key space. It is safe for concurrent
// use.
type Topics struct {
	rdb   redis.UniversalClient
	k     keys.Space
	store Store
	o     Options
	types types

	changing lock         // one change of subscriptions of this instance at a time
	syncing  lock         // one repair of this instance at a time
	seen     atomic.Int64 // the revision of SQL as of the last look
	broken   atomic.Int64 // how often something was found that needs a repair
	mended   atomic.Int64 // how much of that the last repair knew
	compared atomic.Int64 // when all sets were compared last (ms)
	wake     chan struct{}
}

// New returns the topics of a key space. It talks to nobody; before Load all types are
// unknown.
func New(rdb redis.UniversalClient, k keys.Space, s Store, o Options) *Topics {
	if o.Log == nil {
		o.Log = slog.Default()
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

// unseen is no revision of SQL.
const unseen = -1

// lock is a mutex that one can stop waiting for.
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

// Package unread writes inboxes behind to SQL: what changed in Redis is there a
// second later, so that a Redis that lost everything can be filled again.
//
// Every script that changes an inbox marks its user with the version that the
// inbox has then. A batch of marks is read, saved and cleaned, in this order: a
// mark leaves only when SQL has what it stands for, and only when the version
// in it is still the one that was saved.
package unread

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	groups    = 8 // of partitions, each written by one instance at a time
	groupSize = keys.Partitions / groups

	flushing  = 3 // groups at once by Flush
	maxSaves  = 2 // at once: a sender who waits for SQLite's one writer has no more before him
	leaseLife = 3 * time.Second
	maxPause  = 5 * time.Second // between two tries while they fail
)

// Inbox knows who changed, and what he has.
type Inbox interface {
	// Dirty returns the oldest marks of a partition.
	Dirty(ctx context.Context, partition, limit int) ([]notifier.Dirty, error)
	// Read leaves out those whose inbox is not in Redis.
	Read(ctx context.Context, seqs []int64) ([]notifier.Snapshot, error)
	// Clean removes those marks whose version is still the same.
	Clean(ctx context.Context, partition int, marks []notifier.Dirty) error

	// Life returns another word once inboxes may have left Redis in these partitions;
	// not whole: it has lost something, and is not yet healed.
	Life(ctx context.Context, first, n int) (word string, whole bool, err error)
	// Evict takes inboxes out of Redis that nobody used since before.
	Evict(ctx context.Context, partition int, before time.Time, limit int) (evicted int, more bool, err error)
	// Sample returns some users whose inboxes are in Redis.
	Sample(ctx context.Context, partition, n int) ([]int64, error)
	// Check mends what is wrong, and returns it.
	Check(ctx context.Context, seqs []int64) ([]notifier.Drift, error)
	// ForgetCounts takes counts out of Redis that are still these.
	ForgetCounts(ctx context.Context, partition int, counts []notifier.NoticeCount) error
}

// Store keeps what is written behind. Whatever is older than what it has
// changes nothing there.
type Store interface {
	SaveSnapshots(ctx context.Context, all []notifier.Snapshot) error
	SaveCounts(ctx context.Context, all []notifier.NoticeCount) error
	// SetFlushed writes down until when everything that changed is there, of 8 parts.
	SetFlushed(ctx context.Context, parts map[int]time.Time) error
	// Over returns those of these notices that expired before then or are unknown.
	Over(ctx context.Context, ids []int64, before time.Time) ([]int64, error)
}

// Lease lets one instance do the work that any of them could do.
type Lease interface {
	// Hold takes the lease or lengthens it; false means another has it.
	Hold(ctx context.Context) (bool, error)
	// Release gives it back early, if it is ours.
	Release(ctx context.Context) error
}

// Config says what a Flusher works with. The fields of the second group have
// the defaults named there.
type Config struct {
	Inbox Inbox
	Store Store
	Redis redis.UniversalClient // where the counts of notices are; nil: they are not written behind
	Keys  keys.Space

	Leases func(name string, life time.Duration) Lease // nil: this instance writes everything
	Every  time.Duration                               // between two rounds: 1 s
	Batch  int                                         // users in memory at a time, for each of 8 groups: 500
	Idle   time.Duration                               // unused for so long an inbox leaves Redis: 30 days; below 0: none does
	Sample int                                         // inboxes checked for drift each 10 s: 64; below 0: none

	// Oldest returns when the oldest notice was accepted that is still on its way into
	// inboxes, again or for the first time: what is flushed counts up to then only. A
	// zero time means that nobody can say. nil: none is ever on its way.
	Oldest func(ctx context.Context) (accepted time.Time, some bool, err error)

	Now func() time.Time // time.Now
	Log *slog.Logger     // slog.Default()
}

// Flusher writes behind. Several may run at once: the leases save double work
// and nothing rests on them.
type Flusher struct {
	c       Config
	groups  [groups]*group
	saves   *semaphore.Weighted
	users   atomic.Int64
	rows    atomic.Int64
	batches atomic.Int64
	evicted atomic.Int64
	checked atomic.Int64

	mu      sync.Mutex
	failing int // groups whose last round failed; logged when the first does and when none does
	drift   map[notifier.DriftKind]int64
}

// New returns a flusher of all partitions. It does nothing yet.
func New(c Config) *Flusher {
	if c.Every <= 0 {
		c.Every = time.Second
	}
	if c.Batch <= 0 {
		c.Batch = 500
	}
	if c.Idle == 0 {
		c.Idle = 30 * 24 * time.Hour
	}
	if c.Sample == 0 {
		c.Sample = 64
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	f := &Flusher{c: c, saves: semaphore.NewWeighted(maxSaves), drift: map[notifier.DriftKind]int64{}}
	for i := range f.groups {
		g := &group{f: f, first: i * groupSize, counts: counts{rdb: c.Redis, inbox: c.Inbox, store: c.Store, keys: c.Keys, now: c.Now, first: i * groupSize}}
		if c.Leases != nil {
			g.lease = c.Leases(fmt.Sprint("flush:", i), leaseLife)
		}
		f.groups[i] = g
	}
	return f
}

// Run writes behind until ctx ends, and then returns nil. While Redis or SQL is
// away it goes on trying, and what changes meanwhile stays marked in Redis. It
// does not write the last changes: that is Flush's, when nothing changes any more.
func (f *Flusher) Run(ctx context.Context) error {
	var all errgroup.Group
	for i, g := range f.groups {
		// Spread over the second, so that SQL has one small batch at a time.
		all.Go(func() error { return g.run(ctx, f.c.Every*time.Duration(i)/groups) })
	}
	return all.Wait()
}

// Flush writes behind whatever is marked now, some groups at a time, so that SQL
// commits while Redis reads. It asks for no lease. A group that fails does not hold
// up the others, unless Redis or SQL is away; the first error is returned.
func (f *Flusher) Flush(ctx context.Context) error {
	var all errgroup.Group
	all.SetLimit(flushing)
	var gone atomic.Bool
	errs := make([]error, groups)
	for i, g := range f.groups {
		all.Go(func() error {
			if gone.Load() {
				return nil
			}
			if err := g.flush(ctx); err != nil {
				errs[i] = fmt.Errorf("write partitions %d to %d behind: %w", g.first, g.first+groupSize-1, err)
				if away(err) {
					gone.Store(true)
				}
			}
			return nil
		})
	}
	_ = all.Wait() // each group has its own error
	return cmp.Or(errs...)
}

// note logs that writing behind began to fail, or works again everywhere.
func (f *Flusher) note(ctx context.Context, was, is error) {
	if ctx.Err() != nil || (was == nil) == (is == nil) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if is == nil {
		if f.failing--; f.failing == 0 {
			f.c.Log.InfoContext(ctx, "inboxes are written behind again", "stage", "unread")
		}
		return
	}
	if f.failing++; f.failing == 1 {
		f.c.Log.WarnContext(ctx, "inboxes are not written behind", "stage", "unread", "err", is)
	}
}

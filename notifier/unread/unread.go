// Package unread writes inboxes behind to SQL: what changed in Redis is there a
// second later, so that a Redis that lost everything can be filled again.
//
// Every script that changes an inbox marks its user with the version that the
// inbox has then. A batch of marks is read, saved and cleaned, in this order: a
// mark leaves only when SQL has what it stands for, and only when the version
// in it is still the one that was saved.
package unread

import (
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
}

// Store keeps what is written behind. Whatever is older than what it has
// changes nothing there.
type Store interface {
	SaveSnapshots(ctx context.Context, all []notifier.Snapshot) error
	SaveCounts(ctx context.Context, all []notifier.NoticeCount) error
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
	Now    func() time.Time                            // time.Now
	Log    *slog.Logger                                // slog.Default()
}

// Flusher writes behind. Several may run at once: the leases save double work
// and nothing rests on them.
type Flusher struct {
	c       Config
	groups  [groups]*group
	saves   *semaphore.Weighted
	users   atomic.Int64
	batches atomic.Int64

	mu      sync.Mutex
	failing int // groups whose last round failed; logged when the first does and when none does
}

// New returns a flusher of all partitions. It does nothing yet.
func New(c Config) *Flusher {
	if c.Every <= 0 {
		c.Every = time.Second
	}
	if c.Batch <= 0 {
		c.Batch = 500
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	f := &Flusher{c: c, saves: semaphore.NewWeighted(maxSaves)}
	for i := range f.groups {
		g := &group{f: f, first: i * groupSize, counts: counts{rdb: c.Redis, store: c.Store, keys: c.Keys, first: i * groupSize}}
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

// Flush writes behind whatever is marked now, one group after the other. It asks
// for no lease. A group that fails does not hold up the others, unless Redis or SQL
// is away; the first error is returned.
func (f *Flusher) Flush(ctx context.Context) (first error) {
	for _, g := range f.groups {
		err := g.flush(ctx)
		if err != nil && first == nil {
			first = fmt.Errorf("write partitions %d to %d behind: %w", g.first, g.first+groupSize-1, err)
		}
		if away(err) {
			break
		}
	}
	return first
}

// Stats are what a Flusher has done, and how far it is behind.
type Stats struct {
	Lag     time.Duration // age of the oldest change that this instance has to write
	Users   int64         // inboxes written
	Batches int64         // writes to SQL
}

// Stats returns them as they are now.
func (f *Flusher) Stats() Stats {
	s := Stats{Users: f.users.Load(), Batches: f.batches.Load()}
	now := f.c.Now().UnixMilli()
	for _, g := range f.groups {
		if oldest := g.oldest.Load(); oldest > 0 {
			s.Lag = max(s.Lag, time.Duration(now-oldest)*time.Millisecond)
		}
	}
	return s
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

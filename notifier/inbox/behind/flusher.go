// Package behind maintains inboxes in the background: the flusher writes them behind to SQL, evicts
// idle ones and checks samples for drift, and the sweeper removes expired entries.
//
// What a user does with an inbox is in SQL about a second later, so that inboxes can be restored after
// Redis has lost its data. Every script that changes an inbox marks its user as dirty, with the new
// version of the inbox. The flusher reads a batch of marks, saves the inboxes and removes the marks, in
// this order. A mark is removed only when SQL has the change, and only if the mark still has the saved
// version.
//
// Most deliveries make a late mark instead, with the time when the notice was accepted. SQL has the
// notice already, and a notice that is lost is delivered again if it was accepted after the time that
// SetFlushed records, so that time never passes a late mark. The flusher turns a late mark into a dirty
// one after 45 s, or when nothing is delivered any more, if there are no dirty marks left. So an inbox that
// receives many notices is written every 45 s, and deeds never wait for deliveries.
package behind

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

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	groups    = 8 // of partitions, each written by one instance at a time
	groupSize = keys.Partitions / groups

	flushing = 3 // groups written at a time by Flush
	// Batches read and saved at a time: they delay other users of Redis, and SQLite's only writer, by at
	// most this many batches. The next batch is read while one is saved.
	maxReads  = 2
	maxSaves  = 2
	leaseLife = 3 * time.Second
	maxPause  = 5 * time.Second // longest pause between retries

	maxUsers = 24 // in memory at a time, in each group
	// The age at which a late mark becomes a dirty one. Together with twice helpEvery it is less than the minute by which
	// a loss of Redis resends more notices than necessary: an earlier version records a time beyond late marks.
	lateFor   = 45 * time.Second
	quietFor  = 5 * time.Second     // without deliveries for this long, all late marks become dirty ones
	lateShare = 2                   // at most this fraction of the interval between rounds is spent on late marks at a time
	helpEvery = 5 * time.Second     // how often an instance without the lease looks for late marks that are overdue
	idleAfter = 30 * 24 * time.Hour // an inbox unused for this long is evicted
	perSample = 64                  // inboxes checked for drift, by all groups together, every sampleEvery
)

// Inbox gives access to the inboxes in Redis.
type Inbox interface {
	// Dirty returns the oldest dirty marks of a partition.
	Dirty(ctx context.Context, partition, limit int) ([]notifier.Dirty, error)
	// Read returns the inboxes of these users; it omits inboxes that are not in Redis.
	Read(ctx context.Context, seqs []int64) ([]notifier.Snapshot, error)
	// Clean removes the given marks, except those whose version has changed since.
	Clean(ctx context.Context, partition int, marks []notifier.Dirty) error
	// Late returns the oldest late mark of each of these partitions, and the newest of all, in ms; 0: none.
	Late(ctx context.Context, first, n int) (oldest []int64, newest int64, err error)
	// Ripen turns the late marks up to a time into dirty marks, the oldest first. It returns those that have an inbox,
	// and how many late marks it removed.
	Ripen(ctx context.Context, partition int, upto time.Time, limit int) (marks []notifier.Dirty, removed int, err error)

	// Life returns a token that changes when inboxes in these partitions may have left Redis.
	// whole is false while Redis has lost data that is not yet restored.
	Life(ctx context.Context, first, n int) (word string, whole bool, err error)
	// Evict removes inboxes from Redis that were not used since before.
	Evict(ctx context.Context, partition int, before time.Time, limit int) (evicted int, more bool, err error)
	// Sample returns some users whose inboxes are in Redis.
	Sample(ctx context.Context, partition, n int) ([]int64, error)
	// Check repairs inconsistencies and returns them.
	Check(ctx context.Context, seqs []int64) ([]notifier.Drift, error)
	// ForgetCounts removes counts from Redis, except those that have changed since.
	ForgetCounts(ctx context.Context, partition int, counts []notifier.NoticeCount) error
}

// Store stores inboxes and counts in SQL. It ignores data older than the stored data.
type Store interface {
	SaveSnapshots(ctx context.Context, all []notifier.Snapshot) error
	SaveCounts(ctx context.Context, all []notifier.NoticeCount) error
	// SetFlushed records the time up to which all changes are in SQL, for some of the 8 groups.
	SetFlushed(ctx context.Context, parts map[int]time.Time) error
	// Over returns the notices that are unknown or expired before the given time.
	Over(ctx context.Context, ids []int64, before time.Time) ([]int64, error)
}

// FlusherConfig configures a Flusher. The fields from Leases on are optional and state their defaults.
type FlusherConfig struct {
	Inbox Inbox
	Store Store
	Redis redis.UniversalClient // contains the counts of notices; nil: counts are not written behind
	Keys  keys.Space

	Leases lease.Source  // default lease.Alone
	Every  time.Duration // interval between rounds: 1 s

	// Oldest returns the acceptance time of the oldest notice that is still being delivered or
	// redelivered: SQL counts as complete only up to then. some is false if there is none; a zero
	// time means unknown. nil: no notice is ever pending.
	Oldest func(ctx context.Context) (accepted time.Time, some bool, err error)

	Now func() time.Time // time.Now
	Log *slog.Logger     // slog.Default()
}

// Flusher writes inboxes behind. Several may run concurrently: the leases only avoid duplicate
// work, and correctness does not depend on them.
type Flusher struct {
	c       FlusherConfig
	groups  [groups]*group
	reads   *semaphore.Weighted
	saves   *semaphore.Weighted
	users   atomic.Int64
	rows    atomic.Int64
	batches atomic.Int64
	evicted atomic.Int64
	checked atomic.Int64

	delivered atomic.Int64 // when this process last delivered a notice, in ms

	mu      sync.Mutex
	failing int // groups whose last round failed; logged when it becomes 1 and when it returns to 0
	drift   map[notifier.DriftKind]int64
}

// NewFlusher returns a flusher for all partitions. It does nothing until Run or Flush is called.
func NewFlusher(c FlusherConfig) *Flusher {
	if c.Every <= 0 {
		c.Every = time.Second
	}
	if c.Leases == nil {
		c.Leases = lease.Alone
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	f := &Flusher{c: c, reads: semaphore.NewWeighted(maxReads), saves: semaphore.NewWeighted(maxSaves), drift: map[notifier.DriftKind]int64{}}
	for i := range f.groups {
		g := &group{f: f, first: i * groupSize, counts: counts{rdb: c.Redis, inbox: c.Inbox, store: c.Store, keys: c.Keys, now: c.Now, first: i * groupSize}}
		g.lease = c.Leases(fmt.Sprint("flush:", i), leaseLife)
		f.groups[i] = g
	}
	return f
}

// Run writes inboxes behind until ctx ends, and then returns nil. While Redis or SQL is unavailable
// it retries, and changes stay marked in Redis. It does not write the last changes: call Flush
// when there are no more changes.
func (f *Flusher) Run(ctx context.Context) error {
	var all errgroup.Group
	for i, g := range f.groups {
		// Staggered over the interval, so that SQL gets one small batch at a time.
		all.Go(func() error { return g.run(ctx, f.c.Every*time.Duration(i)/groups) })
	}
	return all.Wait()
}

// Flush writes everything that is marked now, several groups at a time, so that SQL commits while
// Redis reads. It does not use the leases. A failed group does not delay the others, unless Redis
// or SQL is unavailable; Flush returns the first error.
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
				errs[i] = fmt.Errorf("flush partitions %d to %d: %w", g.first, g.first+groupSize-1, err)
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

// Delivered notes that this process delivered a notice: inboxes are not quiet, and if its recipients are counted, the
// counts are saved soon.
func (f *Flusher) Delivered(d *notifier.Delivery) {
	f.delivered.Store(f.c.Now().UnixMilli())
	if !d.Counted {
		return
	}
	var parts [keys.Partitions]bool
	for _, seq := range d.Seqs {
		parts[keys.Partition(seq)] = true
	}
	for p, some := range parts {
		if some {
			f.groups[p/groupSize].counts.delivered(p%groupSize, d.NoticeID)
		}
	}
}

// note logs when the write-behind starts to fail and when it works again in all groups.
func (f *Flusher) note(ctx context.Context, was, is error) {
	if ctx.Err() != nil || (was == nil) == (is == nil) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if is == nil {
		if f.failing--; f.failing == 0 {
			f.c.Log.InfoContext(ctx, "writing inboxes to sql works again", "stage", "unread")
		}
		return
	}
	if f.failing++; f.failing == 1 {
		f.c.Log.WarnContext(ctx, "could not write inboxes to sql; retrying", "stage", "unread", "err", is)
	}
}

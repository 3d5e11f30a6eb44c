package epoch

import (
	"context"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// Inboxes restores inbox data that Redis has lost. It uses the client without a gate.
type Inboxes interface {
	// Reconcile replaces those of the given inboxes that are in Redis in an older version than the
	// one given, and returns their number.
	Reconcile(ctx context.Context, users []notifier.Dirty) (restored int, err error)
	// RestoreCounts raises the counts of a partition to the given ones. With add, it adds them,
	// because Redis has started counting from zero.
	RestoreCounts(ctx context.Context, partition int, counts []notifier.NoticeCount, add bool) error
	// Erase removes a whole inbox from Redis.
	Erase(ctx context.Context, seq int64) error
}

// Store reads from SQL what is known about inboxes, users and the runs of Redis. Pages are in
// ascending order and start above after.
type Store interface {
	KnownRuns(ctx context.Context) ([]string, error)
	AddRun(ctx context.Context, id string, now time.Time) error
	SnapshotVers(ctx context.Context, above, after int64, limit int) ([]notifier.Dirty, error)
	VersOf(ctx context.Context, seqs []int64) (map[int64]int64, error)
	NoticeCounts(ctx context.Context, partition int, after int64, limit int) ([]notifier.NoticeCount, error)
	Flushed(ctx context.Context, parts int) (time.Time, error)
	// DeletedSince lists the users deleted at or after since.
	DeletedSince(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error)
}

// Config holds the dependencies and settings of a Guard. The fields of the second group default to
// the values in their comments.
type Config struct {
	Raw     redis.UniversalClient // the guarded Redis, through a client without a gate
	Keys    keys.Space
	Store   Store
	Inboxes Inboxes // nil: this process never heals and only waits for another instance to do it
	// Resend delivers all notices again that were accepted or changed since the given time. It is
	// called while the gate is closed, and must not wait for it.
	Resend func(ctx context.Context, since time.Time) error

	Lease lease.Lease      // default lease.Always
	Every time.Duration    // interval between two looks: 1 s
	Parts int              // number of parts in which inboxes are written behind: 8
	Now   func() time.Time // time.Now
	Wall  func() time.Time // clock that is compared with the one of Redis: time.Now
	Log   *slog.Logger     // slog.Default()
}

func (c *Config) setDefaults() {
	if c.Every <= 0 {
		c.Every = time.Second
	}
	if c.Parts <= 0 {
		c.Parts = 8
	}
	if c.Lease == nil {
		c.Lease = lease.Always
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wall == nil {
		c.Wall = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
}

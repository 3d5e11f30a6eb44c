package epoch

import (
	"context"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// Inboxes put back what Redis has lost. They work on the client without a gate.
type Inboxes interface {
	// Reconcile replaces those of these inboxes that are in Redis and older than the
	// version of SQL that is named, and says how many those were.
	Reconcile(ctx context.Context, users []notifier.Dirty) (restored int, err error)
	// RestoreCounts raises the counts of a partition to these, or adds these to them
	// where Redis has counted from nothing.
	RestoreCounts(ctx context.Context, partition int, counts []notifier.NoticeCount, add bool) error
	// Erase takes all of an inbox out of Redis.
	Erase(ctx context.Context, seq int64) error
}

// Store is what SQL knows of inboxes, of users and of the lives of Redis. All pages are in the
// order of the numbers, and above after.
type Store interface {
	KnownRuns(ctx context.Context) ([]string, error)
	AddRun(ctx context.Context, id string, now time.Time) error
	SnapshotVers(ctx context.Context, above, after int64, limit int) ([]notifier.Dirty, error)
	VersOf(ctx context.Context, seqs []int64) (map[int64]int64, error)
	NoticeCounts(ctx context.Context, partition int, after int64, limit int) ([]notifier.NoticeCount, error)
	Flushed(ctx context.Context, parts int) (time.Time, error)
	// DeletedSince are users that were deleted at or after since.
	DeletedSince(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error)
}

// Lease lets one instance heal while the others wait. Nothing rests on it.
type Lease interface {
	// Hold takes the lease or lengthens it; false means another has it.
	Hold(ctx context.Context) (bool, error)
	// Release gives it back early, if it is ours.
	Release(ctx context.Context) error
}

// Config says what a Guard works with. The fields of the second group have the
// defaults named there.
type Config struct {
	Raw     redis.UniversalClient // the Redis that is guarded, through a client without a gate
	Keys    keys.Space
	Store   Store
	Inboxes Inboxes // nil: this process only waits until another one has healed
	// Resend has all notices that were accepted or changed since then delivered again.
	// It is called while the gate is closed, and may not wait for it.
	Resend func(ctx context.Context, since time.Time) error

	Lease Lease            // nil: this instance heals without asking
	Every time.Duration    // between two looks: 1 s
	Parts int              // in how many parts inboxes are written behind: 8
	Now   func() time.Time // time.Now
	Log   *slog.Logger     // slog.Default()
}

func (c *Config) setDefaults() {
	if c.Every <= 0 {
		c.Every = time.Second
	}
	if c.Parts <= 0 {
		c.Parts = 8
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
}

package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/tracing"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	relayLease   = 3 * time.Second
	advanceEvery = 500 * time.Millisecond
	keepAudit    = 400 * 24 * time.Hour // how long audit entries are kept: a year, and time to review it
	keepExpired  = 7 * 24 * time.Hour   // how long notices are kept after the longest life that they may have
)

// KeepKeys is how long a request may be repeated.
const KeepKeys = 24 * time.Hour

// Inbox changes inboxes. Repeating a change has no effect.
type Inbox interface {
	// DeliverAll returns one error per delivery, in order.
	DeliverAll(ctx context.Context, all []notifier.Delivery) []error
	Retract(ctx context.Context, noticeID int64, key string, seqs []int64) error
	// EditAll updates rows of older revisions; its result is like that of DeliverAll.
	EditAll(ctx context.Context, all []notifier.Delivery) []error
	// Outdate invalidates inbox data of these users that was read from SQL earlier, or data of all
	// users if seqs is empty.
	Outdate(ctx context.Context, seqs []int64) error
}

// Config holds the dependencies and settings of a Worker; see notices.Config for their meaning and
// defaults. Only Toasts, Traces, Away and Written may be nil.
type Config struct {
	Store  Store
	Redis  redis.UniversalClient
	Raw    redis.UniversalClient // lets Resend use Redis while the gate is closed
	Keys   keys.Space
	Inbox  Inbox
	Toasts Toasts
	Traces *tracing.Traces
	// Route finds the recipients of a notice that was accepted without them. Users who have left the
	// directory since are left out.
	Route func(ctx context.Context, n *notifier.Notice) (*roaring.Bitmap, error)

	Written    func(took time.Duration, byRedis bool) // told how long a small notice took from the intake to its inboxes, and whether that begins by the clock of Redis; nil: nobody is told
	Log        *slog.Logger
	Now        func() time.Time
	Away       func() bool
	Wait       time.Duration
	Keep       time.Duration // the longest life of a notice; 0: expired ones stay in SQL
	MaxBacklog int64
	Poll       time.Duration
	Idle       time.Duration
	Chunk      int
}

// Worker delivers accepted notices, and edits and retracts delivered ones.
type Worker struct {
	c       Config
	intake  *Intake
	waiting waiting
	cache   cache
	away    atomic.Bool // the last call to Redis failed
}

// New returns a worker. It takes notices at once; Run delivers them.
func New(c Config) *Worker {
	w := &Worker{c: c, waiting: waiting{of: map[int64][]chan struct{}{}}}
	w.intake = NewIntake(IntakeConfig{Redis: c.Redis, Keys: c.Keys, Handler: handler{w}, Idle: c.Idle, Log: c.Log})
	return w
}

// Run runs the intake and the relay until ctx ends, and then returns nil.
func (w *Worker) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return w.intake.Run(ctx) })
	g.Go(func() error { return newRelay(w).run(ctx) })
	return g.Wait()
}

// RunIntake runs only the intake until ctx ends, and then returns nil. It is for a process that
// delivers its own notices, with or without a server beside it, and then exits.
func (w *Worker) RunIntake(ctx context.Context) error {
	if err := w.intake.Run(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("run the intake: %w", err)
	}
	return nil
}

// Stats returns the state of the intake and this instance's share of its work.
func (w *Worker) Stats() Stats { return w.intake.Stats() }

// Unavailable reports whether waiting for Redis is pointless.
func (w *Worker) Unavailable() bool {
	return w.away.Load() || w.c.Away != nil && w.c.Away()
}

// Overloaded reports whether the intake has more than Config.MaxBacklog entries.
func (w *Worker) Overloaded() bool {
	return w.intake.Backlog() > w.c.MaxBacklog && !w.Unavailable()
}

// Store stores notices permanently. Accepted notices are never lost.
type Store interface {
	DeadLetterStore
	// Notice returns notifier.ErrNotFound for an unknown id.
	Notice(ctx context.Context, id int64) (notifier.Notice, error)
	// Accepted returns notices with their recipients, by id; To is nil if they are not settled.
	Accepted(ctx context.Context, ids []int64) ([]notifier.Acceptance, error)
	// Contents returns notices in any state, by id.
	Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error)
	// SetRecipients stores the recipients unless some are stored, and returns the stored ones.
	SetRecipients(ctx context.Context, id int64, to *roaring.Bitmap) (*roaring.Bitmap, error)
	Recipients(ctx context.Context, id int64) (*roaring.Bitmap, error)
	// Unfinished lists the notices that are accepted, sending or retracting, by id, without their
	// content.
	Unfinished(ctx context.Context, after int64, limit int) ([]notifier.Notice, error)
	// Since lists the notices accepted or changed since then, by id.
	Since(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error)
	// Confirm marks the accepted notices that still have the given revision as sent. It returns the
	// others as moved.
	Confirm(ctx context.Context, done []notifier.Revised) (moved []int64, err error)
	// Advance moves the cursor of a notice if it still has that state and revision.
	Advance(ctx context.Context, id, rev int64, state notifier.State, done int64) error
	// Move changes the state of a notice. It returns false if the notice was not in the state from,
	// or has another revision. It resets the cursor.
	Move(ctx context.Context, id, rev int64, from, to notifier.State) (bool, error)
	// TrimDrafts deletes drafts last changed before then, and those whose keys show that they were
	// sent.
	TrimDrafts(ctx context.Context, before time.Time) (int64, error)
	// ForgetKeys deletes idempotency keys from before then: repeating such a request sends again.
	ForgetKeys(ctx context.Context, before time.Time) (int64, error)
	// TrimNotices deletes finished notices to inboxes, of some with ids above after. They were accepted
	// before accepted and expired before expired. It returns where to continue; 0: nowhere.
	TrimNotices(ctx context.Context, after int64, accepted, expired time.Time) (next, deleted int64, err error)
	// TrimAudit deletes audit entries from before then.
	TrimAudit(ctx context.Context, before time.Time) (int64, error)
}

// DeadLetterStore stores dead letters.
type DeadLetterStore interface {
	Bury(ctx context.Context, d notifier.DeadLetter) error
	DeadLetter(ctx context.Context, id int64) (notifier.DeadLetter, error)
	// DeleteDeadLetter returns false if there is no such dead letter.
	DeleteDeadLetter(ctx context.Context, id int64) (bool, error)
	// TakeDeadLetter deletes a dead letter, if it is there, and makes sure that its notice is
	// resent if Redis loses its data now.
	TakeDeadLetter(ctx context.Context, id int64) error
}

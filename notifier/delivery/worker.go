// Package delivery delivers accepted notices to inboxes, even if instances fail. SQL is its queue: each
// unfinished notice is due at a time, unless an instance has claimed it. The instance that accepts a
// notice claims it in the same INSERT, and delivers it from memory. When a claim expires because an
// instance died or had no room, any instance claims the unfinished work. A failed range, and notices
// that Redis lost, are rows of the table work.
//
// So all work is done at least once. This is idempotent, because inboxes record which notices they
// have had.
package delivery

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	"sync"
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
	advanceEvery = 500 * time.Millisecond
	lanes        = 3                // ranges processed at a time
	maxBatch     = 256              // maximum number of notices claimed, and delivered, at once
	maxTries     = 5                // failures before work becomes a dead letter
	grace        = 10 * time.Second // how long work may continue after Run's context ends
)

// Inbox changes inboxes. Repeating a change has no effect.
type Inbox interface {
	// DeliverAll returns the new rows, and one error per delivery, in order.
	DeliverAll(ctx context.Context, all []notifier.Delivery) ([]notifier.Arrival, []error)
	// Titles returns the users whose row stands for several notices, by its title.
	Titles(ctx context.Context, noticeID int64, key string, seqs []int64) (map[string][]int64, error)
	// Hasten writes the inboxes of these users to SQL without the delay for deliveries.
	Hasten(ctx context.Context, seqs []int64) error
	Retract(ctx context.Context, noticeID int64, key string, seqs []int64) error
	// EditAll updates rows of older revisions; its result has the form of DeliverAll's.
	EditAll(ctx context.Context, all []notifier.Delivery) []error
	// ReadAll marks the rows of those with Read as read; its result has the form of DeliverAll's.
	ReadAll(ctx context.Context, all []notifier.Delivery) []error
	// Outdate invalidates inbox data of these users that was read from SQL earlier, or the data of all
	// users if seqs is empty.
	Outdate(ctx context.Context, seqs []int64) error
}

// Config holds the dependencies and settings of a Worker; see notices.Config for their meaning and
// defaults. Only Toasts, Traces, Away, Written and Delivered may be nil.
type Config struct {
	Store  Store
	Redis  redis.UniversalClient
	Keys   keys.Space
	Inbox  Inbox
	Toasts Toasts
	Traces *tracing.Traces
	// Route resolves the recipients of a notice that was accepted without them. It omits users who were
	// deleted since.
	Route func(ctx context.Context, n *notifier.Notice) (*roaring.Bitmap, error)

	Written    func(took time.Duration)   // receives the duration of the first delivery of each small notice
	Delivered  func(d *notifier.Delivery) // receives each delivery, after the attempt
	Log        *slog.Logger
	Now        func() time.Time
	Away       func() bool
	Wait       time.Duration
	Keep       time.Duration // the longest life of a notice; 0: expired notices stay in SQL
	MaxBacklog int64
	Poll       time.Duration
	Claim      time.Duration
	Idle       time.Duration
	Chunk      int
}

// Worker delivers accepted notices, and edits and retracts delivered ones.
type Worker struct {
	c     Config
	owner int64 // identifies this process in claims

	small  chan *job // small notices
	ranges chan *job // all other work, range by range
	served chan []*job
	wake   chan struct{}
	hand   hand

	running atomic.Bool  // Run takes jobs from small
	waiting atomic.Bool  // the claimer waits for room in the lanes
	passing atomic.Int64 // the last notice that waits in SQL and that later ones must not overtake; 0: none
	away    atomic.Bool  // the last call to Redis failed

	backlog, done, failed, reclaimed, buried atomic.Int64

	awaited waiting
	cache   cache
}

// New returns a worker. Run delivers.
func New(c Config) *Worker {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	return &Worker{
		c: c, owner: int64(binary.BigEndian.Uint64(id[:]) >> 1),
		small: make(chan *job, maxDirect+slack), ranges: make(chan *job, maxHeld+slack), wake: make(chan struct{}, 1),
		hand: hand{since: map[*job]time.Time{}}, awaited: waiting{of: map[int64][]chan struct{}{}},
	}
}

// Run delivers and deletes old data until ctx ends, and then returns nil.
func (w *Worker) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return w.RunIntake(ctx) })
	g.Go(func() error { return newTidier(w).run(ctx) })
	return g.Wait()
}

// RunIntake only delivers until ctx ends, and then returns nil. It is for a process that delivers its
// own notices and then exits, with or without a server next to it.
//
//	Queue ─┬─ small ──▶ deliver ── served ──▶ confirm
//	claim ─┴─ ranges ─▶ range, at three places
//
// When ctx ends, it finishes the work in progress within 10 s, delivers the small notices that wait
// here, and releases all claims, so that other instances continue immediately.
func (w *Worker) RunIntake(ctx context.Context) error {
	work, cancel := outlive(ctx, grace)
	defer cancel()
	w.served = make(chan []*job, 1)
	w.running.Store(true)
	var all sync.WaitGroup
	all.Go(func() { w.claimAll(ctx) })
	all.Go(func() { w.renewAll(ctx) })
	all.Go(func() { w.deliverAll(ctx, work) })
	all.Go(func() { w.confirmAll(ctx, work) })
	for range lanes {
		all.Go(func() { w.rangeAll(ctx, work) })
	}
	all.Wait()
	if err := w.c.Store.GiveBackAll(work, w.owner); err != nil {
		w.c.Log.DebugContext(work, "work is due when its claim expires", "stage", "intake", "err", err)
	}
	return nil
}

// outlive returns a context that ends the given time after ctx does.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var once sync.Once
	var late *time.Timer
	stop := context.AfterFunc(ctx, func() {
		once.Do(func() { late = time.AfterFunc(by, cancel) })
	})
	return work, func() {
		stop()
		once.Do(func() {}) // waits for the call above, or prevents it
		if late != nil {
			late.Stop()
		}
		cancel()
	}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Stats describes the work of this process, and the backlog of all instances.
type Stats struct {
	Backlog   int64 // unfinished notices and rows of work, up to about Config.MaxBacklog
	Done      int64 // completed work
	Failed    int64 // attempts that ended in an error, except while Redis or SQL was unavailable
	Reclaimed int64 // work taken over from another instance, or from an earlier attempt
	Buried    int64
}

// Stats returns the statistics; the backlog is at most Config.Poll old.
func (w *Worker) Stats() Stats {
	return Stats{
		Backlog: w.backlog.Load(), Done: w.done.Load(), Failed: w.failed.Load(), Reclaimed: w.reclaimed.Load(), Buried: w.buried.Load(),
	}
}

// Unavailable reports whether waiting for Redis is useless.
func (w *Worker) Unavailable() bool {
	return w.away.Load() || w.c.Away != nil && w.c.Away()
}

// Overloaded reports whether more than Config.MaxBacklog pieces of work wait.
func (w *Worker) Overloaded() bool {
	return w.backlog.Load() > w.c.MaxBacklog && !w.Unavailable()
}

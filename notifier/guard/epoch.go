// Package guard prevents the use of a Redis that differs from SQL: one that does not respond, or one
// that came back empty or older than before, until the lost data is restored.
//
// Each uninterrupted run of a Redis server as a master is a life with an identity, and SQL lists the
// lives whose data is complete. A gate in front of every command is open only while each master is in a
// listed life and each partition has its mark. The mark is a time stored in the dataset itself: the
// dataset contains every change of an inbox up to that time. So the mark of an older dataset shows its
// age, and an empty dataset has no mark.
//
// See docs/decisions/0009-epochs.md for the underlying assumptions.
package guard

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// LeaseLife is the duration of the healing lease. If the instance that holds it dies, the others wait this long.
const LeaseLife = 3 * time.Second

// State describes whether Redis may be used.
type State int32

// The states of a Guard.
const (
	Away    State = iota // Redis does not respond, or has not been checked yet
	Healing              // Redis responds, but may lack data that is in SQL; an instance is restoring it
	Open
)

// String returns the state's name for logs and metrics.
func (s State) String() string {
	switch s {
	case Open:
		return "open"
	case Healing:
		return "healing"
	default:
		return "away"
	}
}

// Guard watches one Redis. It is safe for concurrent use.
type Guard struct {
	c       Config
	cluster bool
	open    atomic.Bool                         // the gate: the only state that a command checks
	masters atomic.Pointer[map[string]struct{}] // addresses of the masters at the last successful check
	offset  atomic.Int64                        // how far the clock of Redis was ahead at the last check
	timed   atomic.Bool                         // offset has been measured
	wake    chan struct{}

	mu      sync.Mutex
	state   State
	fault   error // of the last check; nil: it succeeded
	unwell  error // error of the last healing; nil: none has failed since the gate was open
	changed chan struct{}
	known   map[string]bool // lives listed in SQL

	turn    chan struct{}   // holds one token: its owner may check Redis, and use the fields below
	bad     time.Time       // start of the current series of failed checks; zero: the last check succeeded
	failing bool            // the last round could not heal; logged when it starts
	vague   bool            // it was logged that this Redis does not report its identity
	logged  map[string]bool // causes logged since Redis was last in use
}

// New returns a guard whose gate stays closed until the first check by Check or Run.
func New(c Config) *Guard {
	c.setDefaults()
	g := &Guard{
		c: c, wake: make(chan struct{}, 1), changed: make(chan struct{}), known: map[string]bool{}, turn: make(chan struct{}, 1),
		logged: map[string]bool{},
	}
	_, g.cluster = c.Raw.(*redis.ClusterClient)
	return g
}

// State returns the current state.
func (g *Guard) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state
}

// Fault returns why Redis is not in use: the error of the last check or of the last healing. It is nil while Redis is in use or being healed.
func (g *Guard) Fault() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fault != nil {
		return g.fault
	}
	return g.unwell
}

func (g *Guard) setUnwell(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unwell = err
}

func (g *Guard) setFault(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fault = err
}

// Changed returns a channel that is closed at the next change of state. Call it before State, so that
// no change is missed.
func (g *Guard) Changed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

// become sets the state and reports whether it changed.
func (g *Guard) become(s State) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.state == s {
		return false
	}
	g.open.Store(s == Open)
	g.state = s
	close(g.changed)
	g.changed = make(chan struct{})
	return true
}

func (g *Guard) knows(life string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return life == "" || g.known[life]
}

func (g *Guard) learn(lives ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, life := range lives {
		g.known[life] = true
	}
}

// away reports whether SQL or Redis as a whole is unavailable, so that continuing is pointless.
func away(err error) bool {
	return errors.Is(err, notifier.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// Inboxes restores inbox data that Redis has lost. It uses the client without a gate.
type Inboxes interface {
	// Reconcile replaces inboxes that are in Redis in an older version than the given one, and
	// returns their number.
	Reconcile(ctx context.Context, users []notifier.Dirty) (restored int, err error)
	// RestoreCounts raises the counts of a partition to the given ones. With add, it adds them, once,
	// because Redis has started counting from zero.
	RestoreCounts(ctx context.Context, partition int, counts []notifier.NoticeCount, add bool) error
	// Erase removes a whole inbox from Redis.
	Erase(ctx context.Context, seq int64) error
}

// Store reads inboxes, users and the runs of Redis from SQL. Pages are in
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

// Config contains the dependencies and settings of a Guard. The fields of the second group default to
// the values in their comments.
type Config struct {
	Raw     redis.UniversalClient // the guarded Redis, through a client without a gate
	Keys    keys.Space
	Store   Store
	Inboxes Inboxes // nil: this process never heals, but waits for another instance to do it
	// Resend delivers all notices again that were accepted or changed since the given time. It is
	// called while the gate is closed, and must not wait for it.
	Resend func(ctx context.Context, since time.Time) error

	Lease lease.Lease      // default lease.Always
	Every time.Duration    // interval between checks: 1 s
	Now   func() time.Time // time.Now
	Wall  func() time.Time // clock that is compared with the clock of Redis: time.Now
	Log   *slog.Logger     // slog.Default()
}

func (c *Config) setDefaults() {
	if c.Every <= 0 {
		c.Every = time.Second
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

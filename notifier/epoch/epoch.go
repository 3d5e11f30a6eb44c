// Package epoch keeps Carillon from using a Redis that differs from what SQL knows: one that does
// not answer, or one that came back empty or older than before, until the lost data is restored.
//
// Each uninterrupted life of a Redis server as a master has an identity, and SQL lists the lives
// whose data is complete. A gate in front of every command is open only while each master is in a
// life that SQL lists and each partition has its mark. The mark is a time stored in the dataset
// itself: every change of an inbox up to that time is there. So an older dataset shows how old it
// is, and an empty one has no mark.
//
// See docs/decisions/0009-epochs.md for the assumptions behind this.
package epoch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// LeaseLife is how long the healing lease should last. When the instance that holds it dies, the
// others wait this long.
const LeaseLife = 3 * time.Second

// State says whether Redis may be used.
type State int32

// The states of a Guard.
const (
	Away    State = iota // Redis does not answer, or nobody has looked yet
	Healing              // Redis answers, but may lack data that SQL has; an instance is restoring it
	Open
)

// String returns the state's name in logs and metrics.
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
	open    atomic.Bool                         // the gate: the only thing that a command checks
	masters atomic.Pointer[map[string]struct{}] // addresses of the masters at the last good look
	offset  atomic.Int64                        // how far the clock of Redis was ahead at the last look
	wake    chan struct{}

	mu      sync.Mutex
	state   State
	changed chan struct{}
	known   map[string]bool // lives listed in SQL

	turn    chan struct{} // holds one token: its owner may look, and use the fields below
	bad     time.Time     // start of the current series of failed looks; zero: the last look succeeded
	failing bool          // the last round could not heal; logged when it starts
	vague   bool          // it was logged that this Redis does not report its identity
}

// New returns a guard whose gate stays closed until the first look by Check or Run.
func New(c Config) *Guard {
	c.setDefaults()
	g := &Guard{
		c: c, wake: make(chan struct{}, 1), changed: make(chan struct{}), known: map[string]bool{}, turn: make(chan struct{}, 1),
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

// Changed returns a channel that is closed at the next change of state. Call it before State to
// miss no change.
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

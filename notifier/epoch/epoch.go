// Package epoch keeps Carillon away from a Redis that is not what SQL knows: one
// that does not answer, and one that came back empty or older than it was, until
// what it has lost is back.
//
// An uninterrupted life of a Redis as a master has an identity; SQL lists those that
// have all that they should. A gate before every command stands open only while each
// master is in a life that SQL lists and each partition has its mark. The mark lies in
// the dataset itself: no change of an inbox up to it is missing there. So an older
// dataset says by itself how old it is, and one that is empty says nothing.
//
// See docs/decisions/0009-epochs.md for what that rests on.
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

// LeaseLife is for how long the lease is to be held that one instance heals under:
// when that one dies, others wait for so long.
const LeaseLife = 3 * time.Second

// State says whether Redis may be used.
type State int32

// The states of a Guard.
const (
	Away    State = iota // it does not answer, or nobody has looked yet
	Healing              // it answers, but may lack what SQL has: somebody sees to it
	Open
)

// String is how logs and metrics call the state.
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
	open    atomic.Bool                         // the gate: all that a command asks
	masters atomic.Pointer[map[string]struct{}] // addresses of a cluster's masters, when all was well last
	wake    chan struct{}

	mu      sync.Mutex
	state   State
	changed chan struct{}
	known   map[string]bool // lives that SQL lists

	turn    chan struct{} // holds one: whoever looks has it, and what follows
	bad     time.Time     // since when looks fail; zero: the last one did not
	failing bool          // the last round could not heal; logged when it begins
	vague   bool          // it was logged that this Redis does not say who it is
}

// New returns a guard whose gate is closed until the first look: Check or Run.
func New(c Config) *Guard {
	c.setDefaults()
	g := &Guard{
		c: c, wake: make(chan struct{}, 1), changed: make(chan struct{}), known: map[string]bool{}, turn: make(chan struct{}, 1),
	}
	_, g.cluster = c.Raw.(*redis.ClusterClient)
	return g
}

// State is how it stands now.
func (g *Guard) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state
}

// Changed is closed at the next change of the state. Ask for it before asking for the
// state, and no change is missed.
func (g *Guard) Changed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

// become changes the state, and says whether it was another one.
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

// away says whether an error is of SQL or Redis as a whole, so that going on is of no use.
func away(err error) bool {
	return errors.Is(err, notifier.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

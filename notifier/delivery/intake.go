// Package delivery takes accepted notices to inboxes, whichever instance lives. Small ones are
// delivered by the instance that accepted them. Other work, and what failed, travels through the
// intake's Redis stream, which all instances read as one consumer group.
//
// An entry stays in the stream until it is done, becomes a dead letter or is replaced by its
// follow-up entries. When an instance dies, another instance takes over its entries. So every entry
// is handled at least once, and handling is idempotent. The relay puts back entries that Redis lost
// or that never reached it, because SQL knows which notices are unfinished.
package delivery

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// Group is the consumer group that all instances read in.
const Group = "carillon"

// Handler does the work. It is called from several goroutines, and it gets the same entry again
// after an error, a timeout or a lost reply. A notifier.ErrUnavailable error leaves the entry where
// it is and does not count as a try; every other error does. The contexts outlive the one given to
// Run by IntakeConfig.Grace, so that a handler can finish its work.
type Handler interface {
	// Deliver puts small notices into inboxes, the entries of kind Whole, in order within one call. It returns one
	// error per entry, or nil if all succeeded.
	Deliver(ctx context.Context, entries []Entry) []error
	// Confirm records in SQL that these entries are done; only then do they leave the stream. It
	// follows the Deliver of these entries and runs concurrently with the next Deliver.
	Confirm(ctx context.Context, entries []Entry) error
	// Range does part of the work of any other entry. The entries that it returns replace e in the
	// stream in one step; none means that the work is finished.
	Range(ctx context.Context, e Entry) ([]Entry, error)
	// Bury stores an entry as a dead letter when it has failed IntakeConfig.Tries times or cannot be
	// read. For an unreadable entry, raw holds the fields from the stream, and e has only an ID.
	Bury(ctx context.Context, e Entry, raw map[string]any, why error) error
}

// IntakeConfig holds the dependencies and settings of an Intake. The fields of the second group default
// to the values in their comments.
type IntakeConfig struct {
	Redis   redis.UniversalClient
	Keys    keys.Space
	Handler Handler

	Name  string           // this process's member name in the group: unique and never used again; default: random
	Batch int              // most entries read, and given to Deliver, at once: 256
	Large int              // concurrent calls of Range: 3
	Tries int64            // failures before an entry becomes a dead letter: 5
	Idle  time.Duration    // shortest time before an entry is taken over from its member: 1 s
	Every time.Duration    // interval between two readings of the backlog: 200 ms; every fifth one trims the stream
	Gone  time.Duration    // a group member with no entries and no activity for this long is removed: 1 min
	Grace time.Duration    // how long handlers may continue after Run's context ends: 10 s
	Now   func() time.Time // time.Now
	Log   *slog.Logger     // slog.Default()
}

// Intake is one process's access to the stream, and its way past it (see Add). Run does the work; Put
// works without it, and Add queues entries until it runs.
type Intake struct {
	c      IntakeConfig
	stream string
	adding chan Entry
	direct chan Entry
	lost   chan struct{}

	backlog, oldest                 atomic.Int64 // from the last look; oldest in ms, 0: none
	done, failed, reclaimed, buried atomic.Int64

	running  atomic.Bool  // Run takes entries of direct
	writing  atomic.Int64 // entries on their way into the stream
	spilled  atomic.Int64 // counts entries that others must follow into the stream; 0: all of them are done
	inFlight *inFlight
	failing  bool // the last read failed; logged when it changes
}

// NewIntake returns an intake. It reads nothing until Run.
func NewIntake(c IntakeConfig) *Intake {
	if c.Name == "" {
		c.Name = rand.Text()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	setDefault(&c.Batch, 256)
	setDefault(&c.Large, 3)
	setDefault(&c.Tries, 5)
	setDefault(&c.Idle, time.Second)
	setDefault(&c.Every, 200*time.Millisecond)
	setDefault(&c.Gone, time.Minute)
	setDefault(&c.Grace, 10*time.Second)
	return &Intake{
		c: c, stream: c.Keys.Intake(), adding: make(chan Entry, maxAdding), direct: make(chan Entry, maxDirect), lost: make(chan struct{}, 1),
		inFlight: newInFlight(c.Idle, c.Now),
	}
}

func setDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Lost receives a value whenever the stream or its group was missing and has been created: at the
// first start, and after Redis lost them. The listener puts unfinished work back in.
func (q *Intake) Lost() <-chan struct{} { return q.lost }

// Stats describes the work of this process and the state of the stream.
type Stats struct {
	Backlog   int64         // unfinished entries in the stream, of all members
	Oldest    time.Duration // age of the oldest unfinished entry; 0: none
	Done      int64         // entries that were done
	Failed    int64         // tries that ended in an error, except while Redis or SQL was unavailable
	Reclaimed int64         // entries taken over from another member or from an earlier try here
	Buried    int64
}

// Stats returns the figures of the last look, which is at most IntakeConfig.Every old.
func (q *Intake) Stats() Stats {
	s := Stats{
		Backlog: q.Backlog(), Done: q.done.Load(), Failed: q.failed.Load(),
		Reclaimed: q.reclaimed.Load(), Buried: q.buried.Load(),
	}
	if ms := q.oldest.Load(); ms > 0 {
		s.Oldest = max(0, q.c.Now().Sub(time.UnixMilli(ms)))
	}
	return s
}

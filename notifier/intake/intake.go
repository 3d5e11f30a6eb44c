// Package intake carries accepted work from where it came in to where it is done:
// a stream in Redis that all instances read as one group.
//
// An entry leaves the stream when it was done, was put aside as a dead letter, or
// another took its place, and not before: what an instance had in hand when it died is
// handed to another. So everything is handled at least once, and a handler must bear
// being given the same again. What Redis loses, and what was never put in, is the
// relay's: SQL knows what is unfinished.
package intake

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// Group is the consumer group that all instances read as.
const Group = "carillon"

// Entry is one piece of work in the stream.
type Entry struct {
	ID       string             // of the stream; empty before it is put there
	NoticeID int64              // 0: about no notice alone
	Revision int64              // of the notice when this began to be done
	Delivery *notifier.Delivery // a whole small notice; nil: see SQL
	From, To int64              // recipients From < seq; To > 0: only up to there, and nothing follows
	Again    bool               // deliver although the notice is sent already
	Had      bool               // it was sent before: with Again, before Redis lost something; else it was edited since
	Retract  bool               // take the notice back; never with a Delivery
	Tries    int64              // how often it was handed out before
}

// Handler does the work. It is called from several goroutines, and given the same
// entry again when it failed, took too long, or its answer was lost. An error that is
// notifier.ErrUnavailable leaves an entry where it is and is no try; any other is one. The contexts
// outlive that of Run by Config.Grace, so that what was begun is finished.
type Handler interface {
	// Deliver puts whole small notices into inboxes, those of one call in their order. It
	// answers one error for each, or nil when all went well.
	Deliver(ctx context.Context, entries []Entry) []error
	// Confirm says in SQL that these are done. It comes behind Deliver, beside the next
	// Deliver, and only then they leave the stream.
	Confirm(ctx context.Context, entries []Entry) error
	// Range does a part of a larger notice. What it answers takes the entry's place in
	// the stream in one step; nothing ends it.
	Range(ctx context.Context, e Entry) ([]Entry, error)
	// Bury puts aside an entry that failed Config.Tries times, or that cannot be read: then
	// raw is what stood in the stream, and e has an ID only.
	Bury(ctx context.Context, e Entry, raw map[string]any, why error) error
}

// Config says what an intake works with. The fields of the second group have the
// defaults named there.
type Config struct {
	Redis   redis.UniversalClient
	Keys    keys.Space
	Handler Handler

	Name  string           // of this process in the group, unlike any other's, and never used again: random
	Batch int              // entries read, and handed to Deliver, at a time: 256
	Large int              // calls of Range at once: 3
	Tries int64            // how often an entry may fail before it is buried: 5
	Idle  time.Duration    // an entry is never taken from who has it before this: 1 s
	Every time.Duration    // between two looks at the backlog: 200 ms; the stream is trimmed each fifth time
	Gone  time.Duration    // a member of the group that has nothing and does nothing for so long is forgotten: 1 min
	Grace time.Duration    // how long handlers may go on when Run is to end: 10 s
	Now   func() time.Time // time.Now
	Log   *slog.Logger     // slog.Default()
}

// Intake is one process's way to the stream. Add and Put work without Run as far as
// they say; Run does the work.
type Intake struct {
	c      Config
	stream string
	adding chan Entry
	lost   chan struct{}

	backlog, oldest                 atomic.Int64 // as of the last look; oldest in ms, 0: none
	done, failed, reclaimed, buried atomic.Int64

	hand    *hand
	failing bool // the last read failed; logged when it changes
}

// New returns an intake that reads nothing before Run.
func New(c Config) *Intake {
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
		c: c, stream: c.Keys.Intake(), adding: make(chan Entry, maxAdding), lost: make(chan struct{}, 1),
		hand: newHand(c.Idle, c.Now),
	}
}

func setDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Lost is told when the stream or the group was not there and was made anew: at the
// first start, and after Redis lost them. Who listens puts what is unfinished in again.
func (q *Intake) Lost() <-chan struct{} { return q.lost }

// Stats are what this process has done, and how the stream stands.
type Stats struct {
	Backlog   int64         // entries in the stream that are not done, whoever has them
	Oldest    time.Duration // age of the oldest of them; 0: none
	Done      int64         // entries that left the stream because they were done
	Failed    int64         // tries that ended with an error; Redis or SQL being away is none
	Reclaimed int64         // entries that were taken over, from another or from an earlier try
	Buried    int64
}

// Stats returns them as they were at the last look, at most Config.Every ago.
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

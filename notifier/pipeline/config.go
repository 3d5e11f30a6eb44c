package pipeline

import (
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	maxInline    = 64   // senders whose notices are delivered in their own time, at once
	maxQueue     = 1000 // unfinished notices looked at in one go
	sweepLease   = 3 * time.Second
	advanceEvery = 500 * time.Millisecond
	maxBackoff   = 2 * time.Second
)

// Config says what a pipeline works with. Zero fields of the second group have
// the defaults named there.
type Config struct {
	Store  Store
	Redis  redis.UniversalClient
	Keys   keys.Space
	Inbox  Inbox
	Router Router
	Board  Board  // nil: announcements are accepted only where another instance shows them
	Hub    Runner // the live hub; nil: none
	Unread Runner // writes inboxes behind to SQL; nil: another instance does

	Log        *slog.Logger     // slog.Default()
	Now        func() time.Time // time.Now
	Limits     notifier.Limits
	InlineMax  int64         // recipients served in the sender's time: 256
	InlineWait time.Duration // how long a sender waits for that: 2 s
	Lease      time.Duration // life of a lease on a notice; what a dead instance left is resumed after it: 10 s
	Poll       time.Duration // how often the dispatcher looks for work: 1 s
	Workers    int           // notices at once: 4; one of them is kept for small notices
	Chunk      int           // recipients between two looks at the notice's state: 2,048
}

func (c *Config) setDefaults() {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	setDefault(&c.InlineMax, 256)
	setDefault(&c.InlineWait, 2*time.Second)
	setDefault(&c.Lease, 10*time.Second)
	setDefault(&c.Poll, time.Second)
	setDefault(&c.Workers, 4)
	setDefault(&c.Chunk, 2048)
}

func setDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

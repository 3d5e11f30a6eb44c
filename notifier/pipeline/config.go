package pipeline

import (
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	relayLease   = 3 * time.Second
	sweepLease   = 3 * time.Second
	advanceEvery = 500 * time.Millisecond
	redisWait    = 2 * time.Second // for what pages show beside what they are about
	maxPressed   = 2 * time.Second // how long a sender is held when the intake is overfed
	keepKeys     = 24 * time.Hour  // how long a request may be repeated
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
	Types  Types  // hears which types of notices are in use; nil: nobody does
	Toasts Toasts // what pops up beside notices that ask for it; nil: nothing does

	Log        *slog.Logger          // slog.Default()
	Now        func() time.Time      // time.Now
	Limits     notifier.Limits       //
	Raw        redis.UniversalClient // through which Resend reaches a Redis that nobody may use yet: Redis
	Away       func() bool           // whether Redis is away, when somebody knows it sooner than the pipeline: nobody
	Wait       time.Duration         // how long Send and Retract wait for what they began to be done: not at all
	WaitMax    int64                 // up to how many recipients they wait: 256
	MaxBacklog int64                 // entries in the intake above which senders are held: 20,000
	Poll       time.Duration         // how often the relay looks for what is unfinished: 1 s
	Idle       time.Duration         // an entry of the intake is not taken from who has it before this: 1 s
	Chunk      int                   // recipients up to which a notice travels whole, and is served in one go: 500
}

func (c *Config) setDefaults() {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Raw == nil {
		c.Raw = c.Redis
	}
	setDefault(&c.WaitMax, 256)
	setDefault(&c.MaxBacklog, 20_000)
	setDefault(&c.Poll, time.Second)
	setDefault(&c.Chunk, 500)
}

func setDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

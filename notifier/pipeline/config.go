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
	redisWait    = 2 * time.Second      // for figures that pages only show as extras
	maxPressed   = 2 * time.Second      // how long a sender is held back when the intake is overloaded
	keepKeys     = 24 * time.Hour       // how long a request may be repeated
	keepAudit    = 400 * 24 * time.Hour // how long audit entries are kept: a year, and time to review it
)

// Config holds the dependencies and settings of a pipeline. Zero fields of the second group default
// to the values in their comments.
type Config struct {
	Store  Store
	Redis  redis.UniversalClient
	Keys   keys.Space
	Inbox  Inbox
	Router Router
	Board  Board  // nil: announcements are accepted, but only other instances show them
	Hub    Runner // the live hub; nil: none
	Unread Runner // writes inbox changes to SQL; nil: another instance does
	Types  Types  // records which notice types are in use; nil: not recorded
	Toasts Toasts // shows toasts for notices that ask for them; nil: no toasts

	Log        *slog.Logger          // slog.Default()
	Now        func() time.Time      // time.Now
	Limits     notifier.Limits       //
	Raw        redis.UniversalClient // lets Resend use Redis while the gate is closed: Redis
	Away       func() bool           // reports that Redis is unavailable, if another part knows it earlier; nil: no such part
	Clock      func() error          // returns an error while this process's clock is wrong; nil: it is trusted
	Wait       time.Duration         // how long Send and Retract wait for their work to be done: they do not
	WaitMax    int64                 // they wait only for notices with up to this many recipients: 256
	MaxBacklog int64                 // number of intake entries above which senders are held back: 20,000
	Poll       time.Duration         // how often the relay looks for unfinished notices: 1 s
	Idle       time.Duration         // shortest time before an intake entry is taken over from its member: 1 s
	Chunk      int                   // most recipients of a small notice, and most recipients served at once: 500
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

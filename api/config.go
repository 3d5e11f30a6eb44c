package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Keys knows the keys of the applications, by the SHA-256 of their text.
type Keys interface {
	// KeyByHash is notifier.ErrNotFound for an unknown key. Revoked ones are answered.
	KeyByHash(ctx context.Context, hash []byte) (notifier.APIKey, error)
	// TouchKeys notes when keys were used last.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error
}

// Sender takes notices in, and looks after those it has.
type Sender interface {
	// SendAll answers for each request, in order. What it accepts is kept.
	SendAll(ctx context.Context, all []notifier.Request) []notifier.Result
	// Progress is notifier.ErrNotFound for an unknown id.
	Progress(ctx context.Context, id int64) (notifier.Progress, error)
	// Edit gives a notice what the draft says. It is notifier.ErrConflict when revision is not the present one or the
	// notice is over.
	Edit(ctx context.Context, id, revision int64, d notifier.Draft) (notifier.Notice, error)
	// Retract may be repeated. It is notifier.ErrConflict for what is over.
	Retract(ctx context.Context, id int64) error
	// WithdrawSubject retracts what a sender has sent about a subject, and says
	// how many notices that were. An empty sender is all of them.
	WithdrawSubject(ctx context.Context, subject, sender string) (int64, error)
}

// Toasts has messages pop up that leave no row.
type Toasts interface {
	// Pop says for how many users. It is replayed when the same request came before; once may
	// be nil.
	Pop(ctx context.Context, d notifier.Draft, once *notifier.Once) (users int64, replayed bool, err error)
}

// Limiter bounds what a key may ask.
type Limiter interface {
	// Take counts n requests of a key. It is false when there are not that many left.
	Take(ctx context.Context, key string, n int) (Allowance, bool)
}

// Allowance is how a key stands with its limit.
type Allowance struct {
	Limit     int           // requests in a window
	Window    time.Duration // its length
	Remaining int           // requests that are left
	Reset     time.Duration // after this there is at least one again, and after a window without any all of them
}

// Config says what the API works with. Zero fields of the second group have the
// defaults named there.
type Config struct {
	Keys      Keys
	Sender    Sender
	Inbox     Inbox
	Board     Board
	Directory Directory
	Topics    Topics
	Toasts    Toasts // nil: nothing pops up alone

	Audit   Audit                        // nobody does
	Address func(r *http.Request) string // where a request came from, for the audit log: the other end of the connection

	Audiences map[notifier.Audience]string // names of the audiences by number
	PublicURL string                       // what the examples of the page begin with: where it was asked
	Version   string                       // of the document: 1.0.0
	Rate      int                          // requests a key may make in a second, on each instance: no limit
	Limiter   Limiter                      // in memory, by Rate
	Log       *slog.Logger                 // slog.Default()
	Now       func() time.Time             // time.Now
}

func (c *Config) setDefaults() {
	if c.Version == "" {
		c.Version = "1.0.0"
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Address == nil {
		c.Address = peer
	}
	if c.Limiter == nil && c.Rate > 0 {
		c.Limiter = newBuckets(c.Rate, c.Now)
	}
}

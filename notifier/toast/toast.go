package toast

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	defaultRetention = 24 * time.Hour
	defaultHold      = 10 * time.Second

	batch     = 256 // scripts in one pipeline
	crowd     = 128 // users in one script: others wait for a millisecond at most
	lookBatch = 500 // users in one pipeline that only reads, or only tells
)

// Lease lets one instance do the work that any of them could do.
type Lease interface {
	// Hold takes the lease or lengthens it; false means another has it.
	Hold(ctx context.Context) (bool, error)
	// Release gives it back early, if it is ours.
	Release(ctx context.Context) error
}

// Options has a default for every field that is zero.
type Options struct {
	Retention time.Duration    // what waits longer is gone: 24 h
	Hold      time.Duration    // what is taken and not acknowledged so long may be taken by others: 10 s
	MaxAge    time.Duration    // of what has a notice: notifier.MaxToastAge
	Consumer  string           // what this instance is called, as no other: random
	Lease     Lease            // who clears; nil: this instance does without asking
	Log       *slog.Logger     // slog.Default()
	Now       func() time.Time // time.Now
}

// Toasts is the toasts of one key space. It is safe for concurrent use.
type Toasts struct {
	rdb   redis.UniversalClient
	k     keys.Space
	o     Options
	parts [keys.Partitions]partition
	stats stats

	most  any           // toasts that wait for one user
	every time.Duration // between two rounds of Run
	idle  time.Duration // what a consumer that holds nothing was not seen for when it is removed
}

// partition holds the keys of one partition, built and boxed once.
type partition struct{ stream, raised any }

// New returns the toasts of a key space. It does not talk to Redis.
func New(rdb redis.UniversalClient, space keys.Space, o Options) *Toasts {
	if o.Retention <= 0 {
		o.Retention = defaultRetention
	}
	if o.Hold <= 0 {
		o.Hold = defaultHold
	}
	if o.MaxAge <= 0 {
		o.MaxAge = notifier.MaxToastAge
	}
	if o.Consumer == "" {
		o.Consumer = rand.Text()
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Toasts{rdb: rdb, k: space, o: o, most: notifier.MaxToastIDs, every: clearEvery, idle: clearIdle}
	for p := range t.parts {
		t.parts[p] = partition{space.Toasts(p), space.RaisedToasts(p)}
	}
	return t
}

// Load puts the scripts on every master. Calls load what is missing by
// themselves; this only spares the first ones a round trip.
func (t *Toasts) Load(ctx context.Context) error {
	if err := script.Load(ctx, t.rdb, raiseToast, takeToast, ackToast, clearToasts, forgetToasts); err != nil {
		return fmt.Errorf("load the scripts of toasts: %w", away(err))
	}
	return nil
}

func (t *Toasts) part(seq int64) *partition { return &t.parts[keys.Partition(seq)] }

// away marks an error that means that Redis cannot be reached.
func away(err error) error {
	if script.Away(err) {
		return fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}

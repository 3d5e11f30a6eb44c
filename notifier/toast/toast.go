// Package toast stores the toasts that wait for their users, decides which instance shows each of them, and provides
// the data of the event that shows them.
package toast

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	defaultRetention = 24 * time.Hour
	defaultHold      = 10 * time.Second

	batch     = 256 // scripts in one pipeline
	crowd     = 128 // users in one script call; a call of this size blocks Redis for at most a millisecond
	lookBatch = 500 // users in one pipeline that only reads or publishes
)

// Options configures New. Zero fields take their defaults.
type Options struct {
	Retention time.Duration    // older toasts are dropped; default 24 h
	Hold      time.Duration    // after this time another instance may claim an unacknowledged toast; default 10 s
	Lease     lease.Lease      // held while clearing; default lease.Always
	Log       *slog.Logger     // default slog.Default()
	Now       func() time.Time // default time.Now
}

// Toasts stores the toasts of one key space. It is safe for concurrent use.
type Toasts struct {
	rdb   redis.UniversalClient
	k     keys.Space
	o     Options
	parts [keys.Partitions]partition
	stats stats

	consumer string // unique name of this instance

	most  any           // limit on the toasts that wait for one user
	every time.Duration // interval between two rounds of Run
	idle  time.Duration // a consumer that holds nothing is removed after this time without activity
}

// partition contains the keys of one partition, built and boxed once.
type partition struct{ stream, raised any }

// New returns the toasts of a key space. It does not connect to Redis.
func New(rdb redis.UniversalClient, space keys.Space, o Options) *Toasts {
	if o.Retention <= 0 {
		o.Retention = defaultRetention
	}
	if o.Hold <= 0 {
		o.Hold = defaultHold
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Toasts{rdb: rdb, k: space, o: o, consumer: rand.Text(), most: notifier.MaxToastIDs, every: clearEvery, idle: clearIdle}
	for p := range t.parts {
		t.parts[p] = partition{space.Toasts(p), space.RaisedToasts(p)}
	}
	return t
}

// Load loads the scripts on every master. Calls load missing scripts themselves; this only saves
// the first calls a round trip.
func (t *Toasts) Load(ctx context.Context) error {
	if err := scripts.Load(ctx, t.rdb); err != nil {
		return fmt.Errorf("load the toast scripts: %w", err)
	}
	return nil
}

func (t *Toasts) part(seq int64) *partition { return &t.parts[keys.Partition(seq)] }

//go:embed *.lua
var sources embed.FS

var (
	scripts = script.Must(script.Read(sources))

	raiseToast   = scripts.Get("raise_toast")
	takeToast    = scripts.Get("take_toast")
	ackToast     = scripts.Get("ack_toast")
	clearToasts  = scripts.Get("clear_toasts")
	forgetToasts = scripts.Get("forget_toasts")
)

// Stats contains counts since the start of this instance, for metrics.
type Stats struct {
	Raised  int64 // toasts queued, one per user
	Taken   int64 // toasts claimed in order to be shown; claiming one again counts again
	Acked   int64 // toasts acknowledged
	Settled int64 // toasts removed because they no longer need to be shown: too old, ended or read
	Cleared int64 // toasts dropped by age, never shown
	Failed  int64 // calls that failed in full or in part
}

type stats struct{ raised, taken, acked, settled, cleared, failed atomic.Int64 }

// Stats returns the counts so far.
func (t *Toasts) Stats() Stats {
	s := &t.stats
	return Stats{
		Raised: s.raised.Load(), Taken: s.taken.Load(), Acked: s.acked.Load(),
		Settled: s.settled.Load(), Cleared: s.cleared.Load(), Failed: s.failed.Load(),
	}
}

// Package inbox keeps the inbox of each user in Redis: a list of entry keys,
// newest first, a hash of their bodies, and their numbers. Every change is one
// script: rows, unread counter, version, counts and the published Change move
// together or not at all, which is what makes the badge right.
//
// Calls may be repeated: a second delivery, opening or retraction changes
// nothing. An inbox that is not in Redis, a cold one, is brought back as SQL last
// saw it. An error that is notifier.ErrUnavailable means that Redis is away, or SQL
// when it was needed for that.
package inbox

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// PageSize is how many entries a page has.
const PageSize = 30

const (
	defaultCap = 200
	maxLimit   = 1000 // rows in one reply
	badgeBatch = 500  // users in one pipeline that only reads
	batch      = 256  // scripts in one pipeline
	inFlight   = 2    // pipelines at a time, a power of two
)

// Options are what an Inbox may be told. The zero value is ready to use.
type Options struct {
	Cap int              // most entries of one inbox; 0: 200
	Now func() time.Time // nil: time.Now
	Log *slog.Logger     // hears of malformed stored rows; nil: nobody does
	SQL Snapshots        // cold inboxes are restored from; nil: they start empty
}

// Inbox is all inboxes of one key space. It is safe for concurrent use.
type Inbox struct {
	rdb   redis.UniversalClient
	k     keys.Space
	parts [keys.Partitions]partition
	cap   int
	now   func() time.Time
	log   *slog.Logger
	sql   Snapshots
	polls *polling
}

// partition holds the keys of one partition, built once.
type partition struct{ expiry, dirty, counts, idle, flushed string }

// New returns the inboxes of a key space. It does not talk to Redis.
func New(rdb redis.UniversalClient, k keys.Space, o Options) *Inbox {
	b := &Inbox{rdb: rdb, k: k, cap: o.Cap, now: o.Now, log: o.Log, sql: o.SQL, polls: newPolling(rdb)}
	if b.cap <= 0 {
		b.cap = defaultCap
	}
	if b.now == nil {
		b.now = time.Now
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	for p := range b.parts {
		b.parts[p] = partition{k.Expiry(p), k.Dirty(p), k.Counts(p), k.Idle(p), k.Flushed(p)}
	}
	return b
}

// Load puts the scripts on every master. Calls load what is missing by
// themselves; this only spares the first ones a round trip.
func (b *Inbox) Load(ctx context.Context) error {
	if err := script.Load(ctx, b.rdb, allScripts()...); err != nil {
		return fmt.Errorf("load the inbox scripts: %w", away(err))
	}
	return nil
}

func (b *Inbox) part(seq int64) *partition { return &b.parts[keys.Partition(seq)] }

func (b *Inbox) millis() int64 { return b.now().UnixMilli() }

// away marks an error that means that Redis cannot be reached.
func away(err error) error {
	if script.Away(err) {
		return fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}

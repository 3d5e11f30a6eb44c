// Package inbox keeps the inbox of each user in Redis: a list of entry keys, newest first, a
// hash of their bodies, and their numbers. Each change is made by one script: rows, unread
// counter, version, counts and the published notifier.Change change together or not at all,
// which is what makes the badge right.
//
// Calls may be repeated: a second delivery, opening or retraction changes nothing. A cold
// inbox, which is not in Redis, is restored as SQL last saw it. An error that is
// notifier.ErrUnavailable means that Redis is unavailable, or SQL if a restore needed it.
package inbox

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// PageSize is the number of entries on a page.
const PageSize = 30

const (
	defaultCap = 200
	maxLimit   = 1000 // rows in one reply
	badgeBatch = 500  // users in one pipeline that only reads
	batch      = 256  // scripts in one pipeline
	inFlight   = 2    // pipelines at a time, a power of two
)

// Options configures an Inbox. The zero value is ready to use.
type Options struct {
	Cap int              // maximum number of entries in one inbox; 0: 200
	Now func() time.Time // nil: time.Now
	Log *slog.Logger     // for malformed stored rows; nil: they are not logged
	SQL Snapshots        // source of cold inboxes; nil: they start empty
}

// Inbox gives access to all inboxes of one key space. It is safe for concurrent use.
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

// New returns the inboxes of a key space. It does not connect to Redis.
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

// Load loads the scripts on every master. Other calls load missing scripts themselves; Load
// only saves the first calls a round trip.
func (b *Inbox) Load(ctx context.Context) error {
	if err := scripts.Load(ctx, b.rdb); err != nil {
		return fmt.Errorf("load the inbox scripts: %w", err)
	}
	return nil
}

func (b *Inbox) part(seq int64) *partition { return &b.parts[keys.Partition(seq)] }

func (b *Inbox) millis() int64 { return b.now().UnixMilli() }

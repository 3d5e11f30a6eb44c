// Package inbox stores the inbox of each user in Redis: a list of entry keys, newest first, a
// hash of their bodies, and their numbers. Each change is made by one script: rows, unread
// counter, version, counts and the published notifier.Change change together or not at all,
// which keeps the badge correct.
//
// Calls may be repeated: a second delivery, opening or retraction changes nothing. A cold
// inbox, which is not in Redis, is restored as last stored in SQL. notifier.ErrUnavailable means
// that Redis is unavailable, or SQL if a restore needed it.
package inbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier/keys"
)

// PageSize is the number of entries on a page.
const PageSize = 30

const (
	defaultCap    = 200
	maxLimit      = 1000 // rows in one reply
	badgeBatch    = 500  // users in one pipeline that only reads
	perPipeline   = 256  // jobs in one pipeline
	snapshotBatch = 64   // inboxes in one pipeline: Redis serves no other client while it reads them
	inFlight      = 2    // concurrent pipelines, a power of two
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
	// shared batches the single requests of pages and polls from many callers.
	shared *script.Shared
}

// partition contains the keys of one partition, built once.
type partition struct{ expiry, dirty, late, counts, idle, flushed string }

// New returns the inboxes of a key space. It does not connect to Redis.
func New(rdb redis.UniversalClient, k keys.Space, o Options) *Inbox {
	b := &Inbox{rdb: rdb, k: k, cap: o.Cap, now: o.Now, log: o.Log, sql: o.SQL, shared: script.NewShared(rdb)}
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
		b.parts[p] = partition{k.Expiry(p), k.Dirty(p), k.Late(p), k.Counts(p), k.Idle(p), k.Flushed(p)}
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

// maxWarm is the maximum number of times that an operation restores a cold inbox; it repeats only if the inbox was
// evicted again.
const maxWarm = 4

var errCold = errors.New("the inbox is cold again after every restore")

// one runs a script on one inbox until the reply is final: if necessary, it restores a cold inbox or
// removes expired rows and runs the script again. now stays the same; settled is 1 once expired
// rows have been removed. The error for an unknown user is notifier.ErrNotFound.
func (b *Inbox) one(ctx context.Context, seq int64, run func(now, settled int64) *redis.Cmd) (script.Reply, error) {
	now, settled := b.millis(), int64(0)
	for range maxWarm {
		r, err := script.ParseReply(run(now, settled))
		if err != nil {
			return r, err
		}
		switch r.Code {
		case codeCold:
			var answers []warmed
			if answers, err = b.warm(ctx, []int64{seq}, now); err == nil {
				err = answers[0].err
			}
		case codeDue:
			err = b.expire(ctx, seq, now)
			settled = 1
		default:
			return r, outcome(r)
		}
		if err != nil {
			return script.Reply{}, err
		}
	}
	return script.Reply{}, errCold
}

// Life returns a token for the state of n partitions starting at first. If the token differs
// later, inboxes may have left Redis in between, through a loss or otherwise. whole is false
// while Redis has lost data that is not yet restored.
func (b *Inbox) Life(ctx context.Context, first, n int) (word string, whole bool, err error) {
	pipe := b.rdb.Pipeline()
	marks, at := make([]*redis.StringCmd, n), make([]*redis.FloatCmd, n)
	for i := range n {
		p := &b.parts[first+i]
		marks[i], at[i] = pipe.Get(ctx, p.flushed), pipe.ZScore(ctx, p.idle, fenceMember)
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	var s strings.Builder
	whole = true
	for i := range n {
		if err := errors.Join(marks[i].Err(), at[i].Err()); err != nil && !missing(marks[i].Err(), at[i].Err()) {
			return "", false, fmt.Errorf("read the marks of partitions %d to %d: %w", first, first+n-1, script.MarkAway(err))
		}
		whole = whole && integer(marks[i].Val()) > 0
		fmt.Fprintf(&s, "%.0f ", at[i].Val())
	}
	return s.String(), whole, nil
}

// missing reports whether all these errors, if any, mean that a value does not exist.
func missing(errs ...error) bool {
	for _, err := range errs {
		if err != nil && !errors.Is(err, redis.Nil) {
			return false
		}
	}
	return true
}

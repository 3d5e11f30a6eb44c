// Package announcement shows announcements to whole audiences: each is stored once,
// in SQL, and whoever reads it sets one bit. An audience has an index of what is
// open in Redis, with a version, and a bitmap for each announcement; all of these
// share a hash tag, so that every change and every count is one script.
//
// The index is made from SQL by a script that says what must be (plan_index.lua).
// Anybody may run it at any time; a repeat changes nothing. Scripts that count and
// mark are told which bitmaps are open; they refuse when that is not true any more,
// and the caller reads the index again.
//
// An error that is notifier.ErrUnavailable means that Redis is away.
package announcement

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/internal/turns"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	defaultMaxSeq = 16_000_000
	defaultEvery  = 250 * time.Millisecond
	flushEvery    = 500 * time.Millisecond
	badgeBatch    = 500 // readers in one script call, at most: as count_readers.lua says
	inFlight      = 2   // such calls at a time
)

// Options has a default for every field that is zero.
type Options struct {
	MaxSeq    int64               // the highest seq that has a bit: 16,000,000, a bitmap of 2 MB
	Audiences []notifier.Audience // all there are; readers of others see nothing
	Now       func() time.Time    // times the write-behind only; windows follow the clock of Redis: time.Now
	Log       *slog.Logger        // slog.Default()
	Every     time.Duration       // between two looks of Run: 250 ms
	Lease     Lease               // who does the work of Run; nil: always this one
}

// Board is the announcements of one key space. It is safe for concurrent use.
type Board struct {
	rdb   redis.UniversalClient
	k     keys.Space
	store Store
	o     Options
	rooms map[notifier.Audience]*room
	texts texts

	syncing lock         // one Sync of this instance at a time
	synced  atomic.Int64 // how many there were
}

// room is what this instance holds of one audience.
type room struct {
	audience                                notifier.Audience
	aver, open, scheduled, windows, channel string
	marked, dirty                           string

	loading lock // one reading of the index at a time
	cached  atomic.Pointer[index]
	counts  turns.Queue[*waiter]
	latest  atomic.Int64 // how far SQL has seen; unknown while another instance writes behind
}

// New returns the announcements of a key space. It talks to nobody.
func New(rdb redis.UniversalClient, k keys.Space, s Store, o Options) *Board {
	if o.MaxSeq <= 0 {
		o.MaxSeq = defaultMaxSeq
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Every <= 0 {
		o.Every = defaultEvery
	}
	b := &Board{rdb: rdb, k: k, store: s, o: o, rooms: map[notifier.Audience]*room{}, syncing: newLock()}
	b.texts.by = map[int64]*notifier.Announcement{}
	for _, a := range o.Audiences {
		b.rooms[a] = b.newRoom(a)
	}
	return b
}

func (b *Board) newRoom(a notifier.Audience) *room {
	r := &room{
		audience: a, aver: b.k.AVer(a), open: b.k.Open(a), scheduled: b.k.Scheduled(a), windows: b.k.Windows(a),
		channel: b.k.LiveAudience(a), marked: b.k.Marked(a), dirty: b.k.DirtyBits(a), loading: newLock(),
	}
	r.latest.Store(unknown)
	return r
}

// floor is a version that this instance has seen: one that is given after a loss must
// not be the same, or an old index would pass for the new one.
func (r *room) floor() string {
	if x := r.cached.Load(); x != nil {
		return x.version
	}
	return "0"
}

// Load puts the scripts on every master. Calls load what is missing by
// themselves; this only spares the first ones a round trip.
func (b *Board) Load(ctx context.Context) error {
	if err := script.Load(ctx, b.rdb, allScripts()...); err != nil {
		return fmt.Errorf("load the announcement scripts: %w", away(err))
	}
	return nil
}

// roomOf is the room that a reader stands in: nil for a number that no bitmap has a
// bit for, and for an audience that there is not.
func (b *Board) roomOf(r notifier.Reader) *room {
	if r.Seq < 1 || r.Seq > b.o.MaxSeq {
		return nil
	}
	return b.rooms[r.Audience]
}

// lock is a mutex that one can stop waiting for.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

func (l lock) take(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l lock) give() { <-l }

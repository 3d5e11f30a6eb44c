// Package announcement shows announcements to whole audiences. SQL stores each announcement once,
// and one bit for each reader who has read it. For each audience, Redis has a versioned index of the
// open announcements, and a bitmap per announcement. All of these share a hash tag, so every change
// and every count is one script.
//
// A script builds the index from the state in SQL (plan_index.lua). Any instance may run it at any
// time; repeating it changes nothing. Scripts that count or mark receive the open bitmaps; if these
// are outdated, the scripts do nothing, and the caller reads the index again.
//
// A notifier.ErrUnavailable error means that Redis cannot be reached.
package announcement

import (
	"context"
	"embed"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/batch"
	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	defaultMaxSeq = 16_000_000
	defaultEvery  = 250 * time.Millisecond
	flushEvery    = 500 * time.Millisecond
	badgeBatch    = 500 // maximum number of readers in one script call; count_readers.lua relies on it
	inFlight      = 2   // concurrent badge calls
)

// Options configures New. Zero fields have the defaults in their comments.
type Options struct {
	MaxSeq    int64               // the highest seq that has a bit: 16,000,000, for a bitmap of 2 MB
	Audiences []notifier.Audience // all audiences; readers of others see nothing
	Now       func() time.Time    // clock only for writing reads to SQL; windows follow the clock of Redis: time.Now
	Log       *slog.Logger        // slog.Default()
	Every     time.Duration       // interval between checks by Run: 250 ms
	Lease     lease.Lease         // decides which instance does the work of Run; nil: lease.Always
}

// Announcements shows the announcements of one key space. It is safe for concurrent use.
type Announcements struct {
	rdb   redis.UniversalClient
	k     keys.Space
	store Store
	o     Options
	rooms map[notifier.Audience]*room
	texts texts

	syncing lock         // held during a Sync: one at a time on this instance
	synced  atomic.Int64 // number of completed Syncs
}

// room is this instance's state of one audience.
type room struct {
	audience                                notifier.Audience
	aver, open, scheduled, windows, channel string
	marked, dirty                           string

	loading lock // held while the index is read
	cached  atomic.Pointer[index]
	counts  *batch.Queue[*waiter]
	latest  atomic.Int64 // latest change in SQL; unknown while another instance writes reads to SQL
}

// New returns the announcements of a key space. It makes no calls.
func New(rdb redis.UniversalClient, k keys.Space, s Store, o Options) *Announcements {
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
	b := &Announcements{rdb: rdb, k: k, store: s, o: o, rooms: map[notifier.Audience]*room{}, syncing: newLock()}
	b.texts.by = map[int64]*notifier.Announcement{}
	for _, a := range o.Audiences {
		b.rooms[a] = b.newRoom(a)
	}
	return b
}

func (b *Announcements) newRoom(a notifier.Audience) *room {
	r := &room{
		audience: a, aver: b.k.AVer(a), open: b.k.Open(a), scheduled: b.k.Scheduled(a), windows: b.k.Windows(a),
		channel: b.k.LiveAudience(a), marked: b.k.Marked(a), dirty: b.k.DirtyBits(a), loading: newLock(),
	}
	r.latest.Store(unknown)
	r.counts = batch.New(batch.Options[*waiter]{
		Call:  func(ctx context.Context, some []*waiter) { b.readStates(ctx, r, some) },
		Limit: callLimit, Most: badgeBatch,
	})
	return r
}

// floor returns a version that this instance has seen. After a loss of Redis no version may be
// reused; otherwise an old index would be mistaken for the new one.
func (r *room) floor() string {
	if x := r.cached.Load(); x != nil {
		return x.version
	}
	return "0"
}

// Load loads the scripts on every master. It is optional and saves the first calls a round trip;
// calls load missing scripts themselves.
func (b *Announcements) Load(ctx context.Context) error {
	if err := scripts.Load(ctx, b.rdb); err != nil {
		return fmt.Errorf("load the announcement scripts: %w", err)
	}
	return nil
}

// roomOf returns the room of a reader's audience, or nil if the audience does not exist or the
// bitmaps have no bit for the reader's seq.
func (b *Announcements) roomOf(r notifier.Reader) *room {
	if r.Seq < 1 || r.Seq > b.o.MaxSeq {
		return nil
	}
	return b.rooms[r.Audience]
}

// lock is a mutex whose take ends with a context.
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

// Replies of scripts that did nothing.
const (
	codeLost  = -1 // part of the index is lost: rebuild it from SQL
	codeOld   = -2 // the caller's index is old; for drop_bits: the announcement is not over
	codeLater = -3 // the index was built from a later state of SQL
	codeDirty = -4 // the bitmap is not completely in SQL
)

// badgeOf returns the announcements half of the badge, starting at the i-th element after the first:
// unread, read, version.
func badgeOf(r script.Reply, i int) notifier.Badge { return newBadge(r.Number(i), r.Number(i+2)) }

func newBadge(unread, aver int64) notifier.Badge {
	return notifier.Badge{Unread: unread, Announcements: unread, AVer: aver}
}

//go:embed *.lua
var sources embed.FS

var (
	scripts = script.Must(script.Read(sources))

	planIndex     = scripts.Get("plan_index")
	inspectIndex  = scripts.Get("inspect_index")
	fetchIndex    = scripts.Get("fetch_index")
	countPart     = scripts.Get("count_part")
	countReaders  = scripts.Get("count_readers")
	readerStates  = scripts.Get("reader_states")
	closeOver     = scripts.Get("close_over")
	markBits      = scripts.Get("mark_bits")
	restoreBits   = scripts.Get("restore_bits")
	cleanSegments = scripts.Get("clean_segments")
	dropBits      = scripts.Get("drop_bits")
	mergeBits     = scripts.Get("merge_bits")
	renewIndex    = scripts.Get("renew_index")
	raiseIndex    = scripts.Get("raise_index")
)

// Store is the part of SQL that announcements need. SQL is authoritative: Redis contains data
// derived from it, and the most recent reads.
type Store interface {
	// AnnouncementRevision returns a number that every announcement, edit, retraction and deletion
	// raises in the same transaction.
	AnnouncementRevision(ctx context.Context) (int64, error)
	// CurrentAnnouncements returns the announcements with an unfinished part, with all their parts,
	// including retracted and ended ones.
	CurrentAnnouncements(ctx context.Context) ([]notifier.Announcement, error)
	// Announcements returns the existing ones among the given announcements.
	Announcements(ctx context.Context, ids []int64) ([]notifier.Announcement, error)
	// SettleTop stores the highest seq that sees an announcement when it opens in an audience. Only the
	// first call stores a value; later calls return it.
	SettleTop(ctx context.Context, k notifier.PartKey) (notifier.Part, error)
	// SaveReads stores bitmap segments whose Ver is newer than the stored one. It drops segments
	// whose From differs from the ReadsFrom of the announcement.
	SaveReads(ctx context.Context, segments []notifier.ReadSegment) error
	// Reads returns all segments of a bitmap.
	Reads(ctx context.Context, k notifier.PartKey) ([]notifier.ReadSegment, error)
	// LatestReads returns the highest Ver of an audience's segments.
	LatestReads(ctx context.Context, a notifier.Audience) (int64, error)
	// FinishPart records the number of readers of an announcement that is over in an audience. It
	// must not change a part that has been reopened.
	FinishPart(ctx context.Context, k notifier.PartKey, reads int64) error
}

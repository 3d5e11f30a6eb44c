package live

import (
	"slices"
	"sync"
	"time"

	"github.com/r3labs/sse/v2"

	"github.com/carillonhq/carillon/notifier"
)

const (
	shardCount = 64
	mergeBytes = 128 << 10 // a merged write is not let grow beyond about this
)

// shard holds the users whose seq falls into it, and the library's streams of
// their connections: its lock is then shared by few.
type shard struct {
	mu    sync.Mutex
	users map[int64]*user
	sse   *sse.Server
}

func newShard(h *Hub) shard {
	srv := sse.New()
	srv.AutoReplay = false
	srv.BufferSize = h.lim.QueueLen + 2 // bye and the end find room
	// The library calls this once the only subscriber has left: not earlier may
	// the stream be removed, or the library's goroutines would hang.
	srv.OnUnsubscribe = func(id string, _ *sse.Subscriber) {
		srv.RemoveStream(id)
		h.open.Done()
	}
	return shard{users: make(map[int64]*user), sse: srv}
}

func (h *Hub) shard(seq int64) *shard { return &h.shards[seq%shardCount] }

// user is what is held of one user. All is guarded by his shard's lock.
type user struct {
	hub      *Hub
	link     *link
	seq      int64
	audience notifier.Audience
	conns    []*conn
	holds    int // conns and Serve calls that wait to become one

	badge     notifier.Badge
	confirmed bool   // Redis has confirmed the subscription, and it was not lost since
	fresh     bool   // confirmed, and the badge was read after that
	cut       bool   // not fresh, and the streams were told so
	gen       uint32 // counts confirmations and losses
	queued    priority
	ready     chan struct{} // closed when fresh; nil when nobody waits

	tray     *tray     // what the courier has to do for him; nil: nothing
	asking   bool      // the courier will ask whether a toast waits
	browsers []browser // of which it is known whether they show a page
	switched time.Time // when toasts were switched off or on; zero: not since he came
	off      bool      // off, it was

	pending  []byte // events that wait for the next flush
	due      bool   // the badge changed since the last flush
	merging  bool   // the merger will flush
	parked   bool   // in the idle wheel
	flushed  time.Time
	idleFrom time.Time
}

// take applies a published change: its events always (Pub/Sub does not repeat
// itself), its numbers when they are newer than what is held.
func (u *user) take(c *notifier.Change) {
	if c.Ver > u.badge.Ver {
		u.badge.Ver, u.badge.Inbox = c.Ver, c.Unread
		u.badge.Unread = u.badge.Inbox + u.badge.Announcements
		u.due = true
	}
	if len(u.conns) == 0 {
		return
	}
	u.pending = appendChange(u.pending, c)
	u.flushSoon()
}

// hold applies a badge read from Redis when asked was held. Each half counts by
// its own version: what is older came too late, unless it is older than what was
// held when it was asked for, and still is. Then Redis has lost something, and its word counts,
// under the version that browsers know: they would take no older one. Versions are
// times, so what Redis makes anew is later all the same.
//
// The same number of announcements keeps its later version: that of the user's
// own marks is forgotten after some minutes, and nothing is lost then. Nor is a
// new version of an old number told: each turn that does not concern him gives one.
func (u *user) hold(b, asked notifier.Badge) {
	old := u.badge
	if b.Ver >= u.badge.Ver || u.badge.Ver == asked.Ver {
		u.badge.Ver, u.badge.Inbox = max(u.badge.Ver, b.Ver), b.Inbox
	}
	switch {
	case b.Announcements == u.badge.Announcements:
		u.badge.AVer = max(u.badge.AVer, b.AVer)
	case b.AVer >= u.badge.AVer || u.badge.AVer == asked.AVer:
		u.badge.AVer, u.badge.Announcements = max(u.badge.AVer, b.AVer), b.Announcements
	}
	u.badge.Unread = u.badge.Inbox + u.badge.Announcements
	if old.AVer = u.badge.AVer; u.badge != old {
		u.due = true
		if !u.cut { // else it is told with the rest, once it is known to be right
			u.flush()
		}
	}
}

// settle makes u fresh when the subscription stood all the while since gen.
func (u *user) settle(gen uint32) {
	if !u.confirmed || u.gen != gen {
		return // the confirmation to come, or one that came, asks again
	}
	if !u.fresh && u.tray != nil {
		u.tray.nudges = nil // not to be heard any more
	}
	if !u.fresh {
		u.ask() // what was said meanwhile was not heard
	}
	u.fresh = true
	u.letOn()
	if u.cut {
		u.mended()
	}
}

// rested says that the last flush is so long ago that the next need not wait.
func (u *user) rested() bool {
	return !u.merging && u.hub.cfg.Now().Sub(u.flushed) >= u.hub.lim.Merge
}

// flushSoon sends what is pending, now or with what follows at once.
func (u *user) flushSoon() {
	switch {
	case u.merging && len(u.pending) < mergeBytes:
	case u.merging || u.rested():
		u.flush()
	default:
		u.merging = true
		u.hub.merger.add(u)
	}
}

// flush sends what is pending, encoded once for all streams.
func (u *user) flush() {
	text := u.pending
	u.pending = nil
	if len(u.conns) == 0 || len(text) == 0 && !u.due {
		u.due = false
		return
	}
	if u.due {
		text = appendBadge(text, u.badge)
	}
	u.send(pack(text))
}

func (u *user) send(ev *sse.Event) {
	u.due, u.flushed = false, u.hub.cfg.Now()
	for _, c := range u.conns {
		c.publish(ev)
	}
}

func (u *user) drop(c *conn) {
	if i := slices.Index(u.conns, c); i >= 0 {
		u.conns = slices.Delete(u.conns, i, i+1)
		u.depart(c)
	}
}

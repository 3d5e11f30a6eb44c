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
	gen       uint32 // counts confirmations and losses
	queued    priority
	ready     chan struct{} // closed when fresh; nil when nobody waits

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
	switch {
	case u.merging && len(u.pending) < mergeBytes:
	case u.merging || u.hub.cfg.Now().Sub(u.flushed) >= u.hub.lim.Merge:
		u.flush()
	default:
		u.merging = true
		u.hub.merger.add(u)
	}
}

// hold applies a badge read from Redis when ver asked was held. Each half
// counts by its own version: what is older came too late, unless it is older
// than what was held when it was asked for. Then Redis has lost something, and
// its word counts.
func (u *user) hold(b, asked notifier.Badge) {
	old := u.badge
	if b.Ver >= u.badge.Ver || b.Ver < asked.Ver {
		u.badge.Ver, u.badge.Inbox = b.Ver, b.Inbox
	}
	if b.AVer >= u.badge.AVer || b.AVer < asked.AVer {
		u.badge.AVer, u.badge.Announcements = b.AVer, b.Announcements
	}
	u.badge.Unread = u.badge.Inbox + u.badge.Announcements
	if u.badge != old {
		u.due = true
		u.flush()
	}
}

// settle makes u fresh when the subscription stood all the while since gen.
func (u *user) settle(gen uint32) {
	if !u.confirmed || u.gen != gen {
		return // the confirmation to come, or one that came, asks again
	}
	u.fresh = true
	if u.ready != nil {
		close(u.ready)
		u.ready = nil
	}
}

// flush sends what is pending, encoded once for all streams.
func (u *user) flush() {
	text, due := u.pending, u.due
	u.pending, u.due = nil, false
	if len(u.conns) == 0 || len(text) == 0 && !due {
		return
	}
	if due {
		text = appendBadge(text, u.badge)
	}
	u.flushed = u.hub.cfg.Now()
	ev := pack(text)
	for _, c := range u.conns {
		c.publish(ev)
	}
}

func (u *user) drop(c *conn) {
	if i := slices.Index(u.conns, c); i >= 0 {
		u.conns = slices.Delete(u.conns, i, i+1)
	}
}

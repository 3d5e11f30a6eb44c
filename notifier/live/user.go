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
	mergeBytes = 128 << 10 // merged writes are flushed at about this size
	postID     = "sockets" // id of the library's stream for all sockets of a shard
)

// shard holds the users whose seq falls into it, and the library's streams that serve them, so that each lock is
// shared by few users.
type shard struct {
	mu    sync.Mutex
	users map[int64]*user
	sse   *sse.Server
	post  post // one of its streams, for all sockets
}

func newShard(h *Hub) shard {
	srv := sse.New()
	srv.AutoReplay = false
	srv.BufferSize = h.lim.QueueLen + 2 // room for bye and the end
	// The library calls this once the only subscriber has left. Removing the stream earlier would
	// leave the library's goroutines hanging.
	srv.OnUnsubscribe = func(id string, _ *sse.Subscriber) {
		srv.RemoveStream(id)
		if id != postID {
			h.open.Done()
		}
	}
	return shard{users: make(map[int64]*user), sse: srv, post: post{sse: srv}}
}

func (h *Hub) shard(seq int64) *shard { return &h.shards[seq%shardCount] }

// user is the state of one user on this instance. It is guarded by the lock of the user's shard.
type user struct {
	hub      *Hub
	link     *link
	seq      int64
	audience notifier.Audience
	conns    []*conn
	holds    int // conns, and Serve calls that are about to add one

	badge     notifier.Badge
	confirmed bool   // Redis has confirmed the subscription, and it has not been lost since
	fresh     bool   // the badge was read after the confirmation
	cut       bool   // not fresh, and the streams were notified
	gen       uint32 // counts confirmations and losses
	unsure    bool   // moved to an audience that has not been read yet
	moves     uint32 // counts the signals about moves
	placed    bool   // moved since the badge was last sent
	checking  bool   // a check of the streams' sessions is queued
	queued    priority
	ready     chan struct{} // closed when fresh; nil when no request waits

	tray     *tray     // undelivered toasts; nil: none
	asking   bool      // the courier will ask whether toasts wait
	browsers []browser // browsers with a reported visibility
	switched time.Time // when toasts were last switched on or off; zero: not since the user connected
	off      bool      // whether that switched them off

	pending  []byte // events that wait for the next flush
	due      bool   // the badge changed since the last flush
	merging  bool   // the merger will flush
	parked   bool   // in the idle wheel
	flushed  time.Time
	idleFrom time.Time
}

// somebody returns the name of deleted actors in the language of the latest connection.
func (u *user) somebody() string {
	if len(u.conns) == 0 {
		return notifier.Somebody
	}
	return u.conns[len(u.conns)-1].somebody
}

// apply applies a published change. Its events are always sent (Pub/Sub does not repeat messages); its counts
// apply if they are newer than the cached ones.
func (u *user) apply(c *notifier.Change) {
	if c.Ver > u.badge.Ver {
		u.badge.SetInbox(c.Unread, c.Ver)
		u.due = true
	}
	if len(u.conns) == 0 {
		return
	}
	u.pending = appendChange(u.pending, c, u.hub.cfg.App, u.somebody())
	u.flushSoon()
}

// hold applies a badge read from Redis; asked is the badge that was cached when the read was requested. Each
// half is compared by its own version. An older version is outdated, unless the cached version has not changed
// since the request: then Redis has lost data, and the value read applies, under the version that browsers
// have, as they would ignore an older one. Versions are times, so new versions made by Redis are later in any
// case.
//
// An unchanged number of announcements keeps the later version: the version of the user's own marks expires
// after some minutes although nothing is lost. A new version of an unchanged number is not sent, as every turn
// that does not concern the user produces one.
func (u *user) hold(b, asked notifier.Badge) {
	old := u.badge
	if b.Ver >= u.badge.Ver || u.badge.Ver == asked.Ver {
		u.badge.SetInbox(b.Inbox, max(u.badge.Ver, b.Ver))
	}
	switch {
	case b.Announcements == u.badge.Announcements:
		u.badge.AVer = max(u.badge.AVer, b.AVer)
	case b.AVer >= u.badge.AVer || u.badge.AVer == asked.AVer:
		u.badge.SetAnnouncements(b.Announcements, max(u.badge.AVer, b.AVer))
	}
	if old.AVer = u.badge.AVer; u.badge != old || u.placed {
		u.due, u.placed = true, false
		if !u.cut { // otherwise it is sent with the rest, once it is up to date
			u.flush()
		}
	}
}

// settle marks u as fresh if the subscription has not been interrupted since gen.
func (u *user) settle(gen uint32) {
	if !u.confirmed || u.gen != gen {
		return // a later confirmation queues another read
	}
	if !u.fresh && u.tray != nil {
		u.tray.nudges = nil // the echoes were lost with the subscription
	}
	if !u.fresh {
		u.ask() // signals may have been missed meanwhile
	}
	u.fresh = true
	u.releaseWaiting()
	if u.cut {
		u.restored()
	}
}

// rested reports whether the last flush was long enough ago for another one at once.
func (u *user) rested() bool {
	return !u.merging && u.hub.cfg.Now().Sub(u.flushed) >= u.hub.lim.Merge
}

// flushSoon sends the pending events now, or together with those that follow at once.
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

// flush sends the pending events, encoded once for all streams.
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

// ended ends the streams of a session that has ended.
func (u *user) ended(browser string) {
	for _, c := range u.conns {
		if notifier.Browser(c.session) == browser {
			c.bye(u.hub.jitter(time.Second))
		}
	}
}

// moved is called when the user was moved to another audience. The audience is read from SQL: the later of two
// moves wins, regardless of the order in which the signals arrive. Until the audience has been read, the user
// receives no announcements. A stream whose session cannot be checked is asked to reconnect, so that its
// handler finds the new audience.
func (u *user) moved() {
	u.unsure = true
	u.moves++
	checked := false
	for _, c := range u.conns {
		if c.session == "" || u.hub.cfg.Sessions == nil {
			c.bye(u.hub.jitter(time.Second))
		} else {
			checked = true
		}
	}
	if checked {
		u.hub.checks.add(u)
	}
}

// joins puts the user into an audience. If it is a new one, the announcements half of the badge belongs to the
// old audience: the badge is read again, and sent even if it is the same, because pages show more of an
// audience than a count. It keeps the version that browsers have.
func (u *user) joins(a notifier.Audience) {
	if u.audience == a && !u.unsure {
		return
	}
	u.audience, u.unsure, u.fresh, u.placed = a, false, false, true
	u.gen++
	if u.confirmed { // otherwise the pending confirmation queues the read
		u.hub.queue.add(u, max(soon, u.haste()))
	}
}

// haste is urgent while a request waits for the user's badge.
func (u *user) haste() priority {
	if u.ready != nil {
		return urgent
	}
	return calm
}

// hears reports whether messages for an audience concern the user.
func (u *user) hears(a notifier.Audience) bool { return u.audience == a && !u.unsure }

// locked calls f holding the lock of the user's shard.
func (u *user) locked(f func()) {
	s := u.hub.shard(u.seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

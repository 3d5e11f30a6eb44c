package live

import (
	"strconv"
	"time"

	"github.com/r3labs/sse/v2"

	"github.com/carillonhq/carillon/notifier"
)

// conn is one stream. Its fields are guarded by the lock of its user's shard, except those that never change.
type conn struct {
	user    *user
	session string
	browser string // name derived from the session, as used in signals
	out     outlet // nil before and after the stream
	ending  bool   // bye was sent; nothing follows
	gone    bool   // the stream has ended
	seen    bool   // a page of its browser was visible when it was opened

	toastsOff bool      // the user switched toasts off
	noToasts  bool      // the page does not show toasts
	since     time.Time // when the stream began
	somebody  string    // name of deleted actors in the language of the page
	until     time.Time // zero, or the latest endAt
	endAt     time.Time
}

// outlet writes the events of one stream. Its methods return at once and may be called with the lock of the
// user's shard held. When the stream has ended, for whatever reason, it calls Hub.leave, later and once.
type outlet interface {
	// publish queues an event. If last is set, the stream ends once everything queued is written. A client
	// for which too many events are queued is disconnected.
	publish(ev *sse.Event, last bool)
	// share queues the events of a view, which many users see, with the version and, if due, the badge of one.
	share(v *view, b notifier.Badge, due bool)
	// cut ends the stream at once, whatever is still being written.
	cut()
	// left reports that the stream has ended: nothing reaches the client any more.
	left() bool
}

// activate is called when events published to out can reach the client. It returns the first badge, or the event
// that reports that no badge can be read now. All later changes follow as events.
func (h *Hub) activate(c *conn, out outlet) []byte {
	u, s := c.user, h.shard(c.user.seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	u.flush() // changes from before this stream are included in its first badge
	u.conns = append(u.conns, c)
	c.out = out
	u.arrive(c)
	if c.session != "" {
		h.checks.add(u)
	}
	c.since = h.cfg.Now()
	c.endAt = c.since.Add(time.Duration((1 + h.rand()/2) * float64(lifetime)))
	if !c.until.IsZero() && c.until.Before(c.endAt) {
		c.endAt = c.until
	}
	h.beats.add(h.nextBeat(c), c)
	select {
	case <-h.closed: // Shutdown may already have passed over all streams
		c.bye(h.jitter(longestRetry))
	default:
	}
	if u.cut {
		return appendConnection(nil, u.badge.Ver, false)
	}
	return appendBadge(nil, u.badge)
}

// publish queues an event.
func (c *conn) publish(ev *sse.Event) {
	if c.open() {
		c.out.publish(ev, false)
	}
}

// open reports whether published events can still reach the client.
func (c *conn) open() bool {
	return c.out != nil && !c.ending && !c.out.left()
}

// bye asks the client to reconnect after retry, and ends the stream once everything queued before is written.
func (c *conn) bye(retry time.Duration) {
	if !c.open() {
		return
	}
	ms := strconv.FormatInt(retry.Milliseconds(), 10)
	ev := pack(appendEvent(nil, c.user.badge.Ver, "bye", `{"retry":`+ms+"}"))
	ev.Retry = []byte(ms)
	c.ending = true
	c.out.publish(ev, true)
}

// cut ends the stream at once.
func (c *conn) cut() {
	if c.out != nil {
		c.out.cut()
	}
}

package live

import (
	"context"
	"sync"
	"time"
)

// Health reports whether Redis is available, and notifies about changes.
type Health interface {
	Open() bool
	Changed() <-chan struct{} // closed at the next change
}

// outage collects the reasons why the hub's data may be out of date: lost connections, an unavailable Redis,
// badges that cannot be read.
type outage struct {
	mu     sync.Mutex
	down   map[*link]bool
	shut   bool
	unread bool
	since  time.Time // zero: no outage
}

// change applies a change to the reasons, and records when an outage began.
func (o *outage) change(now time.Time, set func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	set()
	switch trouble := len(o.down) > 0 || o.shut || o.unread; {
	case !trouble:
		o.since = time.Time{}
	case o.since.IsZero():
		o.since = now
	}
}

// lasts reports whether there is an outage that has lasted for grace.
func (o *outage) lasts(now time.Time, grace time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.since.IsZero() && now.Sub(o.since) >= grace
}

func (h *Hub) linkDown(l *link) {
	h.outage.change(h.cfg.Now(), func() {
		if h.outage.down == nil {
			h.outage.down = map[*link]bool{}
		}
		h.outage.down[l] = true
	})
}

func (h *Hub) linkUp(l *link) {
	h.outage.change(h.cfg.Now(), func() { delete(h.outage.down, l) })
}

// runHealth follows Config.Health. While Redis is unavailable, no data in memory is trusted; afterwards
// everything is read again.
func (h *Hub) runHealth(ctx context.Context) error {
	for open := true; h.cfg.Health != nil; {
		changed := h.cfg.Health.Changed()
		if now := h.cfg.Health.Open(); now != open {
			open = now
			h.outage.change(h.cfg.Now(), func() { h.outage.shut = !open })
			h.eachUser(func(u *user) { u.doubt(open) })
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// doubt marks the user's badge as untrusted until it is read again, and queues the read if it is possible now.
func (u *user) doubt(again bool) {
	u.fresh = false
	u.gen++
	if !again || !u.confirmed {
		return // the pending confirmation queues the read
	}
	p := calm
	if u.ready != nil {
		p = urgent
	}
	u.hub.queue.add(u, p)
}

// reportOutage notifies the streams that changes are not arriving, once that has lasted for Limits.Grace.
// Requests that wait for a stream get one, which is updated when the outage ends.
func (h *Hub) reportOutage() {
	if !h.outage.lasts(h.cfg.Now(), h.lim.Grace) {
		return
	}
	h.eachUser(func(u *user) {
		if u.fresh || u.cut {
			return
		}
		u.cut = true
		u.releaseWaiting()
		u.pending = appendConnection(u.pending, u.badge.Ver, false)
		u.flush()
	})
}

// restored notifies the streams that the outage is over, with the current badge.
func (u *user) restored() {
	u.cut = false
	u.pending, u.due = appendConnection(u.pending, u.badge.Ver, true), true
	u.flush()
}

// releaseWaiting releases the requests that wait for a stream.
func (u *user) releaseWaiting() {
	if u.ready != nil {
		close(u.ready)
		u.ready = nil
	}
}

func (h *Hub) eachUser(f func(*user)) {
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		for _, u := range s.users {
			f(u)
		}
		s.mu.Unlock()
	}
}

// appendConnection appends the event about whether the stream is up to date.
func appendConnection(b []byte, id int64, live bool) []byte {
	if live {
		return appendEvent(b, id, "connection", `{"state":"live"}`)
	}
	return appendEvent(b, id, "connection", `{"state":"reconnecting"}`)
}

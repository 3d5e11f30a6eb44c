package live

import (
	"context"
	"sync"
	"time"
)

// Health says whether Redis is to be worked with, and when that changes.
type Health interface {
	Open() bool
	Changed() <-chan struct{} // closed at the next change
}

// outage is why the hub may not know what is right: connections that are down, a
// Redis that is not to be asked, badges that cannot be read.
type outage struct {
	mu     sync.Mutex
	down   map[*link]bool
	shut   bool
	unread bool
	since  time.Time // zero: there is none
}

// change notes what has changed, and when it began.
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

// lasts says whether there is one, for so long by now.
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

// runHealth follows Config.Health. While Redis is not to be worked with nothing
// that is held is known to be right; when it is again, all is read again.
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

// doubt makes what is held worth nothing until it is read again, which is now when
// that is possible.
func (u *user) doubt(again bool) {
	u.fresh = false
	u.gen++
	if !again || !u.confirmed {
		return // a confirmation to come has it read
	}
	p := calm
	if u.ready != nil {
		p = urgent
	}
	u.hub.queue.add(u, p)
}

// tellOutage tells the streams that nothing more comes for now, when that has
// lasted. Who waits for a stream gets it: it will be right by itself.
func (h *Hub) tellOutage() {
	if !h.outage.lasts(h.cfg.Now(), h.lim.Grace) {
		return
	}
	h.eachUser(func(u *user) {
		if u.fresh || u.cut {
			return
		}
		u.cut = true
		u.letOn()
		u.pending = appendConnection(u.pending, u.badge.Ver, false)
		u.flush()
	})
}

// mended tells the streams that all is right again, and the number.
func (u *user) mended() {
	u.cut = false
	u.pending, u.due = appendConnection(u.pending, u.badge.Ver, true), true
	u.flush()
}

// letOn lets those go on who wait for a stream.
func (u *user) letOn() {
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

// appendConnection appends the event that says whether the stream is right.
func appendConnection(b []byte, id int64, live bool) []byte {
	if live {
		return appendEvent(b, id, "connection", `{"state":"live"}`)
	}
	return appendEvent(b, id, "connection", `{"state":"reconnecting"}`)
}

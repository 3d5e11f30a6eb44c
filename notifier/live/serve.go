package live

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Serve answers r with the stream of a user. While Redis is unavailable, the stream reports the outage, and is
// updated as soon as Redis is back. The user always comes from the session or the token, never from the
// request; of.Session is checked once the stream is open, and each minute (empty: never). Serve returns an
// error only when nothing was written: a *notifier.TooManyError at a limit, notifier.ErrUnavailable when Redis
// does not answer in time or the hub is shutting down, notifier.ErrUnauthenticated without a user, or the
// request's own context error when the client has left.
//
// On Linux, the connection of HTTP/1.1 without TLS is hijacked and Serve returns while the stream continues:
// middleware must not treat its return as the end of the stream. Headers already set on w are sent. Elsewhere,
// and where hijacking is not possible (HTTP/2, a writer that hides Hijack), the stream runs in the caller's
// goroutine. Last-Event-ID and the query are ignored.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, who notifier.Reader, of notifier.StreamOf) error {
	if who.Seq < 1 {
		return notifier.ErrUnauthenticated
	}
	u, err := h.enter(who, of.Session)
	if err != nil {
		return err
	}
	if err = h.join(r.Context(), u); err != nil {
		h.leave(u, nil)
		return err
	}
	if r.Method == http.MethodHead {
		h.leave(u, nil)
		setHeaders(w.Header())
		w.WriteHeader(http.StatusOK)
		return nil
	}
	c := &conn{user: u, session: of.Session, seen: of.Visible, toastsOff: of.ToastsOff, noToasts: of.NoToasts, somebody: cmp.Or(of.Somebody, notifier.Somebody), until: of.Until}
	if h.cfg.Toasts != nil {
		c.browser = notifier.Browser(of.Session)
	}
	if r.ProtoMajor == 1 && r.TLS == nil && h.sockets.Load() != nil {
		nc, head, ok, err := hijack(w)
		if ok {
			err = h.detach(nc, head, c)
		}
		if err != nil {
			h.leave(u, nil)
			return fmt.Errorf("hijack the connection of user %d: %w", u.seq, err)
		}
		if ok {
			return nil
		}
	}
	h.stay(w, r, c)
	return nil
}

// enter acquires a slot under the limits, for which an older stream may be ended, and subscribes to the user's
// channel if the user is new here. leave releases the slot.
func (h *Hub) enter(who notifier.Reader, session string) (*user, error) {
	h.gate.RLock()
	defer h.gate.RUnlock()
	if h.closing {
		return nil, unavailable("the hub is shutting down")
	}
	if h.streams.Add(1) > int64(h.lim.Total) {
		h.streams.Add(-1)
		return nil, tooMany(10 * time.Second)
	}
	s := h.shard(who.Seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[who.Seq]
	if u == nil {
		u = &user{hub: h, seq: who.Seq, audience: who.Audience}
		s.users[u.seq] = u
		h.stats.users.Add(1)
		h.links.join(u)
	}
	if !u.place(session) {
		h.streams.Add(-1)
		return nil, tooMany(5 * time.Second)
	}
	if !u.unsure || !u.checking { // otherwise the pending check will return a later result
		u.joins(who.Audience)
	}
	u.holds++
	h.open.Add(1)
	return u, nil
}

// leave releases a slot, and removes c from the user's streams unless it is nil.
func (h *Hub) leave(u *user, c *conn) {
	s := h.shard(u.seq)
	s.mu.Lock()
	if c != nil {
		c.gone, c.out = true, nil
		u.drop(c)
	}
	u.holds--
	if u.holds == 0 {
		u.idleFrom = h.cfg.Now()
		if !u.parked {
			u.parked = true
			h.idle.add(h.ticks(h.lim.Linger), u)
		}
	}
	s.mu.Unlock()
	h.streams.Add(-1)
	h.open.Done()
}

// join waits until the user is subscribed and the badge has been read since, or until an outage shows that this
// will take longer.
func (h *Hub) join(ctx context.Context, u *user) error {
	s := h.shard(u.seq)
	s.mu.Lock()
	if u.fresh || u.cut {
		s.mu.Unlock()
		return nil
	}
	if u.ready == nil {
		u.ready = make(chan struct{})
	}
	ready := u.ready
	if u.queued != unqueued { // otherwise a read is under way, or the pending confirmation queues one
		h.queue.add(u, urgent)
	}
	s.mu.Unlock()
	t := time.NewTimer(joinTimeout)
	defer t.Stop()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-h.closed:
		return unavailable("the hub is shutting down")
	case <-t.C:
		return unavailable("join user " + strconv.FormatInt(u.seq, 10))
	}
}

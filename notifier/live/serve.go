package live

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Client is who a stream is for: always from the session, never from the request.
type Client struct {
	Seq      int64
	Audience notifier.Audience
	Session  string // checked again each minute; empty: never

	Visible   bool // a page of this browser can be seen now
	ToastsOff bool // its user wants no toasts: none is given to it
}

// Serve answers r with the stream of a user. While Redis is away that is one that
// says so, and is right as soon as it is back. It returns an error only when
// nothing was written: a *BusyError (notifier.ErrTooMany at a cap,
// notifier.ErrUnavailable when Redis does not answer in time or the hub stops),
// notifier.ErrUnauthenticated without a user, or the request's own context
// error when the client has left.
//
// On HTTP/1.1 the connection is hijacked and Serve returns while the stream goes
// on: middleware must not take its return for the stream's end. Headers already
// set on w are sent. Where that is not possible (HTTP/2, a writer that hides
// Hijack) the stream lives in the caller's goroutine. Last-Event-ID and the
// query are ignored.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, who Client) error {
	if who.Seq < 1 {
		return notifier.ErrUnauthenticated
	}
	u, err := h.enter(who)
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
	c := &conn{user: u, id: strconv.FormatUint(h.streamID.Add(1), 36), session: who.Session, seen: who.Visible, toastsOff: who.ToastsOff}
	if h.cfg.Toasts != nil {
		c.browser = Browser(who.Session)
	}
	if r.ProtoMajor == 1 {
		out, ok, err := hijack(w)
		if err != nil {
			h.leave(u, nil)
			return fmt.Errorf("take over the connection of user %d: %w", u.seq, err)
		}
		if ok {
			h.detach(c, out) //nolint:contextcheck // the stream outlives the request on purpose
			return nil
		}
	}
	h.stay(w, r, c)
	return nil
}

// enter takes a place under the caps and subscribes to the user's channel when
// nobody of his was here. leave gives the place back.
func (h *Hub) enter(who Client) (*user, error) {
	h.gate.RLock()
	defer h.gate.RUnlock()
	if h.closing {
		return nil, unavailable("the hub stops")
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
	if u.holds >= h.lim.PerUser {
		h.streams.Add(-1)
		return nil, tooMany(5 * time.Second)
	}
	if u.audience != who.Audience { // he was moved: half of what is held is another audience's
		u.audience, u.fresh, u.badge.AVer = who.Audience, false, 0
		u.gen++
	}
	u.holds++
	h.open.Add(1)
	return u, nil
}

// leave gives back a place, and c's seat among the user's streams if it had one.
func (h *Hub) leave(u *user, c *conn) {
	s := h.shard(u.seq)
	s.mu.Lock()
	if c != nil {
		c.gone, c.nc, c.rc = true, nil, nil
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

// join waits until the user is subscribed and his badge has been read since, or
// until it is known that this takes a while.
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
	if u.confirmed { // the reading may be waiting among the unhurried
		h.queue.add(u, urgent)
	}
	s.mu.Unlock()
	t := time.NewTimer(h.lim.JoinTimeout)
	defer t.Stop()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-h.closed:
		return unavailable("the hub stops")
	case <-t.C:
		return unavailable("join user " + strconv.FormatInt(u.seq, 10))
	}
}

package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

const (
	roomBytes = 4 * maxBatchBody // bytes of large bodies that an instance holds at once
	keyBodies = 2                // large bodies that a key may have in progress on an instance
	roomWait  = 5 * time.Second  // how long a body waits for room, in all
	roomRead  = 10 * time.Second // how long a body may take to arrive, besides waiting for room
)

// room bounds the memory of large bodies. A caller can send one on each of its connections,
// and together they would exceed the memory of a small machine. A body takes room as it arrives,
// whatever length it announces, from maxBody on: smaller ones cost hardly more than the connection itself.
//
// Bodies stand in the order in which they became large. The first one never waits, because the others always leave
// what it may still need. So bodies that have arrived in part cannot keep each other from arriving.
type room struct {
	wait    time.Duration // roomWait and roomRead, but in tests
	read    time.Duration
	mu      sync.Mutex
	free    int64
	bodies  []*seat       // large ones, including those that wait
	changed chan struct{} // closed when one has left
}

func newRoom() *room {
	return &room{wait: roomWait, read: roomRead, free: roomBytes, changed: make(chan struct{})}
}

// seat is the room that one body takes.
type seat struct {
	room     *room
	key      int64         // the API key that sends it
	patience time.Duration // how long it may still wait
	held     int64         // bytes
}

type seatKey struct{}

// seat returns an empty seat for the body of a call. The caller calls leave when the call has its answer.
func (r *room) seat(key int64) *seat { return &seat{room: r, key: key, patience: r.wait} }

// noRoomError is why a body waited in vain.
type noRoomError string

func (e noRoomError) Error() string { return string(e) }

const (
	errKeyBusy  noRoomError = "had to wait for too long: the key has two bodies above 64 KiB in progress already, which is the most. Send it again when one of them has its answer"
	errRoomFull noRoomError = "had to wait for too long: large bodies of all keys together have reached what the instance holds. Send it again later"
)

// grow waits until the body may take so many bytes. It returns a noRoomError if there is no room in time.
func (s *seat) grow(ctx context.Context, to int64) error {
	r, began := s.room, time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.bodies, s) {
		r.bodies = append(r.bodies, s)
	}
	for {
		err := r.refuses(s, to-s.held)
		if err == nil {
			r.free -= to - s.held
			s.held = to
			s.patience -= time.Since(began)
			return nil
		}
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
			r.mu.Lock()
		case <-ctx.Done():
			r.mu.Lock()
			r.remove(s)
			return err
		}
	}
}

// refuses returns why a body may not take more bytes now. The first body may: the others leave maxBatchBody to it.
func (r *room) refuses(s *seat, more int64) error {
	before := 0
	for _, other := range r.bodies[:slices.Index(r.bodies, s)] {
		if other.key == s.key {
			before++
		}
	}
	if before >= keyBodies {
		return errKeyBusy
	}
	if first := r.bodies[0]; first != s && r.free-more+first.held < maxBatchBody {
		return errRoomFull
	}
	return nil
}

// leave gives the room of a body back.
func (s *seat) leave() {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.room.remove(s)
}

func (r *room) remove(s *seat) {
	at := slices.Index(r.bodies, s)
	if at < 0 {
		return
	}
	r.bodies = slices.Delete(r.bodies, at, at+1)
	r.free += s.held
	s.held = 0
	close(r.changed)
	r.changed = make(chan struct{})
}

// receive reads a body of at most limit bytes. Its buffer grows as the body arrives, to four times what has arrived: by less,
// the copies would cost as much memory as the body. It returns notifier.ErrTooLarge for a longer body, a noRoomError if there is no room for it in time,
// and the error of the connection.
func receive(c huma.Context, limit int64) ([]byte, error) {
	s, _ := c.Context().Value(seatKey{}).(*seat)
	size, in := limit, c.BodyReader()
	if announced := web.Of(c.Context()).Length; announced >= 0 {
		size = min(announced, limit)
	}
	deadline, extend := time.Now(), hurry(c, limit)
	if s != nil {
		deadline = deadline.Add(s.room.read)
		extend(deadline)
	}
	body := make([]byte, 0, min(size, maxBody)+1)
	for {
		for len(body) < cap(body) {
			n, err := in.Read(body[len(body):cap(body)])
			body = body[:len(body)+n]
			if errors.Is(err, io.EOF) {
				extend(time.Time{}) // it would end the call
				return body, nil
			}
			if err != nil {
				return nil, err
			}
		}
		larger := size + 1
		for larger/4 > int64(len(body)) {
			larger /= 4
		}
		if int64(len(body)) > size || s == nil {
			return nil, notifier.ErrTooLarge
		}
		began := time.Now()
		if err := s.grow(c.Context(), min(larger, limit)); err != nil {
			return nil, err
		}
		deadline = deadline.Add(time.Since(began))
		extend(deadline)
		body = append(make([]byte, 0, larger), body...)
	}
}

// hurry returns how to set the deadline for a large body to arrive: a client that stops in the middle keeps others
// waiting for its room. For small bodies, and if the writer does not support deadlines, the server's own applies.
func hurry(c huma.Context, limit int64) (extend func(to time.Time)) {
	if limit <= maxBody {
		return func(time.Time) {}
	}
	_, w := humago.Unwrap(c)
	rc := http.NewResponseController(w)
	return func(to time.Time) { _ = rc.SetReadDeadline(to) }
}

package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"golang.org/x/sync/semaphore"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

const (
	roomBytes = 4 * maxBatchBody // bytes of large bodies that an instance handles at once
	roomWait  = 5 * time.Second  // how long a body waits for room
	roomRead  = 10 * time.Second // how long a body may take to arrive once there is room
)

// room bounds the memory of large bodies. A caller can send one on each of its connections,
// and together they would exceed the memory of a small machine. Small bodies take no room:
// they cost hardly more than the connection itself.
type room struct{ free *semaphore.Weighted }

func newRoom() room { return room{semaphore.NewWeighted(roomBytes)} }

// enter waits for room for the body of a call, which is not read before. It returns a
// *notifier.TooManyError if there is none within roomWait.
func (r room) enter(c huma.Context) (leave func(), err error) {
	limit := c.Operation().MaxBodyBytes
	size := web.Of(c.Context()).Length
	if size < 0 || size > limit {
		size = limit
	}
	if size <= maxBody {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(c.Context(), roomWait)
	defer cancel()
	if r.free.Acquire(ctx, size) != nil {
		return nil, &notifier.TooManyError{RetryAfter: roomWait}
	}
	return func() { r.free.Release(size) }, nil
}

// hurry sets a deadline for a large body to arrive: a client that stops in the middle keeps
// others waiting for its room. arrived removes the deadline, which would otherwise end the
// call. If the writer does not support deadlines, the server's own applies.
func hurry(c huma.Context) (arrived func()) {
	if c.Operation().MaxBodyBytes <= maxBody {
		return func() {}
	}
	_, w := humago.Unwrap(c)
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(roomRead))
	return func() { _ = rc.SetReadDeadline(time.Time{}) }
}

//go:build !linux

package live

import (
	"context"
	"errors"
	"net"

	"github.com/r3labs/sse/v2"
)

// post and sockets exist on Linux only. Elsewhere all streams stay in their handlers.
type (
	post    struct{ sse *sse.Server }
	sockets struct{}
	socket  struct{}
)

func (p *post) share(*view) {}

func (h *Hub) openSockets(context.Context) (stop func()) { return func() {} }

func (h *Hub) detach(net.Conn, []byte, *conn) error { return errors.ErrUnsupported }

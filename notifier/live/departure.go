package live

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

// departure is the context that the library gets with a hijacked connection: it
// is done when the client has left or cancel has closed the connection. The
// library waits for that in a goroutine of its own and does nothing else there,
// so Done itself waits, by reading: a reader beside it would cost every idle
// stream an eighth more memory. Nobody else may call Done.
type departure struct {
	nc   net.Conn
	left atomic.Bool
	b    [1]byte
}

// Done returns when the context is done. A client says nothing more after its
// request: whatever comes of the read means that it left.
func (d *departure) Done() <-chan struct{} {
	_, _ = d.nc.Read(d.b[:])
	d.left.Store(true)
	done := make(chan struct{})
	close(done)
	return done
}

// Err is not nil once the context is done.
func (d *departure) Err() error {
	if d.left.Load() {
		return context.Canceled
	}
	return nil
}

// Deadline says that there is none.
func (d *departure) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value holds nothing.
func (d *departure) Value(any) any { return nil }

func (d *departure) cancel() {
	d.left.Store(true)
	_ = d.nc.Close()
}

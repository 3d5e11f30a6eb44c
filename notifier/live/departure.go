package live

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

// departure is the context that the library gets with a hijacked connection. It is done when the
// client has left or cancel has closed the connection. The library waits for that in a goroutine of
// its own which does nothing else, so Done itself blocks, reading from the connection: a separate
// reader would cost every idle stream an eighth more memory. Nothing else may call Done.
type departure struct {
	nc   net.Conn
	left atomic.Bool
	b    [1]byte
}

// Done blocks until the context is done. A client sends nothing after its request, so any result of
// the read means that it has left.
func (d *departure) Done() <-chan struct{} {
	_, _ = d.nc.Read(d.b[:])
	d.left.Store(true)
	done := make(chan struct{})
	close(done)
	return done
}

// Err returns an error once the context is done.
func (d *departure) Err() error {
	if d.left.Load() {
		return context.Canceled
	}
	return nil
}

// Deadline reports no deadline.
func (d *departure) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value returns nil for every key.
func (d *departure) Value(any) any { return nil }

func (d *departure) cancel() {
	d.left.Store(true)
	_ = d.nc.Close()
}

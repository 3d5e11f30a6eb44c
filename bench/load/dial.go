//go:build linux

package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

type sockaddr = *unix.SockaddrInet4

// stalledBuffer is the size of the receive buffer of a client that does not read. When it is
// full, the server's writes block.
const stalledBuffer = 4096

var errSlow = errors.New("not all streams opened in time")

func resolve(addr string) (sockaddr, error) {
	a, err := net.ResolveTCPAddr("tcp4", addr)
	if err != nil {
		return nil, fmt.Errorf("resolve %q: %w", addr, err)
	}
	if !a.IP.IsLoopback() {
		return nil, fmt.Errorf("%s is not on loopback", addr)
	}
	return &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(a.IP.To4())}, nil
}

// connect opens the streams, with at most InFlight of them waiting for their first event, and
// then waits for the last of them.
func (f *Fleet) connect(ctx context.Context) Opening {
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Patience)
	defer cancel()
	start := time.Now()
	var first error
	for i := 0; i < f.cfg.Streams && f.slot(ctx); i++ {
		if err := f.dial(i); err != nil {
			first = cmp.Or(first, err)
			f.settled()
		}
	}
	for range cap(f.slots) { // all slots free: nothing is opening
		if !f.slot(ctx) {
			first = cmp.Or(first, errSlow)
			break
		}
	}
	o := Opening{Took: time.Since(start), FirstErr: first}
	for _, l := range f.loops {
		l.mu.Lock()
		o.Opened += l.opening.opened
		o.Latency.Merge(&l.opening.latency)
		o.FirstErr = cmp.Or(o.FirstErr, l.opening.err)
		l.mu.Unlock()
	}
	o.Failed = f.cfg.Streams - o.Opened
	return o
}

func (f *Fleet) slot(ctx context.Context) bool {
	select {
	case f.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// settled frees the slot of a stream that has opened or failed. After connect has timed out, there may be no slot
// left to free.
func (f *Fleet) settled() {
	select {
	case <-f.slots:
	default:
	}
}

func (f *Fleet) dial(i int) error {
	l := f.loops[i%len(f.loops)]
	if i < 0 || i > math.MaxInt32 {
		return fmt.Errorf("open stream %d: epoll events have only 32 bits for its number", i)
	}
	s := &stream{id: int32(i), user: int64(i % f.cfg.Users), started: time.Now()}
	s.stalled = f.cfg.Stalled != nil && f.cfg.Stalled(i)
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a socket: %w", err)
	}
	s.fd = fd
	if err := f.request(s); err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("connect stream %d: %w", i, err)
	}
	if err := l.add(s); err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("watch stream %d: %w", i, err)
	}
	return nil
}

// request connects and sends the request. On loopback both finish immediately, so the socket may
// block until then.
func (f *Fleet) request(s *stream) error {
	if f.cfg.Sources > 0 {
		// Choose the port at connect, per pair of addresses. Otherwise all source addresses would
		// share one range of ports.
		if err := unix.SetsockoptInt(s.fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1); err != nil {
			return err
		}
		if err := unix.Bind(s.fd, &unix.SockaddrInet4{Addr: source(int(s.id) % f.cfg.Sources)}); err != nil {
			return err
		}
	}
	if s.stalled {
		if err := unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, stalledBuffer); err != nil {
			return err
		}
	}
	if err := unix.Connect(s.fd, f.target); err != nil {
		return err
	}
	text := f.cfg.Request(int(s.id))
	if n, err := unix.Write(s.fd, text); err != nil {
		return err
	} else if n != len(text) {
		return fmt.Errorf("sent %d of %d bytes", n, len(text))
	}
	return unix.SetNonblock(s.fd, true)
}

package live

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// departure is the event of a connection whose client leaves. A client sends nothing after its request, so there is
// something to read only when it ends its side, or breaks the protocol.
const departure = unix.EPOLLIN

// sockets holds the hijacked connections of a hub in one epoll set, which one goroutine watches.
type sockets struct {
	hub  *Hub
	ep   int
	file *os.File // the same, in Go's own poller, so that waiting for it occupies no thread

	mu   sync.Mutex
	all  map[socketKey]*socket
	last socketKey
}

// openSockets starts the posts and the loop of sockets. Without an epoll set, streams stay in their handlers. stop
// ends everything that was started, once all streams have left.
func (h *Hub) openSockets(ctx context.Context) (stop func()) {
	if h.cfg.inHandlers {
		return func() {}
	}
	x, err := newSockets(h)
	if err != nil {
		h.cfg.Log.WarnContext(ctx, "streams need a goroutine each", "stage", "live", "err", err)
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running, opening sync.WaitGroup
	running.Go(x.run)
	for i := range h.shards {
		opening.Add(1)
		running.Go(func() { h.shards[i].post.run(ctx, opening.Done) })
	}
	opening.Wait()
	h.sockets.Store(x)
	return func() {
		cancel()
		_ = x.file.Close()
		running.Wait()
	}
}

func newSockets(h *Hub) (*sockets, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create an epoll set: %w", err)
	}
	if err = unix.SetNonblock(ep, true); err != nil { // otherwise os.NewFile leaves it out of the poller
		_ = unix.Close(ep)
		return nil, fmt.Errorf("make an epoll set non-blocking: %w", err)
	}
	return &sockets{hub: h, ep: ep, file: os.NewFile(uintptr(ep), "epoll"), all: make(map[socketKey]*socket)}, nil
}

// detach moves a stream from net/http, which has a goroutine with a large stack and buffers for it, to a socket.
// It returns false if the stream must stay.
func (h *Hub) detach(nc net.Conn, head []byte, c *conn) error {
	defer func() { _ = nc.Close() }() // the socket has a descriptor of its own
	has, ok := nc.(syscall.Conn)
	if !ok {
		return fmt.Errorf("a connection of type %T has no descriptor", nc)
	}
	raw, err := has.SyscallConn()
	if err != nil {
		return err
	}
	fd := -1
	if cerr := raw.Control(func(theirs uintptr) { fd, err = unix.FcntlInt(theirs, unix.F_DUPFD_CLOEXEC, 0) }); cerr != nil {
		return cerr
	}
	if err != nil {
		return fmt.Errorf("duplicate a descriptor: %w", err)
	}
	tune(fd, ackSeconds*time.Second)
	s := h.sockets.Load().add(c, fd)
	s.begin(append(head, h.activate(c, s)...))
	return nil
}

// sendBuffer is the kernel's send buffer for one client. The kernel doubles it.
const sendBuffer = 16 << 10

// tune limits the memory of a connection, and how long the kernel waits for the client to acknowledge data. A
// heartbeat is too small to fill a buffer, so writes to a client that has vanished still succeed. Without the limit
// the kernel retries for about 15 minutes, and the stream keeps its slot that long.
func tune(fd int, patience time.Duration) {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, sendBuffer)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(patience.Milliseconds())) // fails for a unix socket
}

func (x *sockets) add(c *conn, fd int) *socket {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last = x.last.next()
	s := &socket{set: x, conn: c, key: x.last, fd: fd}
	x.all[s.key] = s
	return s
}

func (x *sockets) find(key socketKey) *socket {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.all[key]
}

// forget removes a socket, which is about to be closed.
func (x *sockets) forget(s *socket) {
	_ = unix.EpollCtl(x.ep, unix.EPOLL_CTL_DEL, s.fd, nil) // fails if the socket has not begun
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.all, s.key)
}

// watch adds a socket to the epoll set.
func (x *sockets) watch(s *socket) error {
	return unix.EpollCtl(x.ep, unix.EPOLL_CTL_ADD, s.fd, eventsOf(s, departure))
}

// wantRoom sets whether the socket waits for the kernel to have room.
func (x *sockets) wantRoom(s *socket, wants bool) {
	events := uint32(departure)
	if wants {
		events |= unix.EPOLLOUT
	}
	_ = unix.EpollCtl(x.ep, unix.EPOLL_CTL_MOD, s.fd, eventsOf(s, events)) // fails only without memory; then the socket is late
}

func eventsOf(s *socket, events uint32) *unix.EpollEvent {
	return &unix.EpollEvent{Events: events, Fd: s.key.low, Pad: s.key.high}
}

// socketKey identifies a socket in the events of the set: its fields are the two numbers that an event carries. A
// descriptor is used again, a key is not.
type socketKey struct{ low, high int32 }

func keyOf(e *unix.EpollEvent) socketKey { return socketKey{e.Fd, e.Pad} }

// next returns the key after k.
func (k socketKey) next() socketKey {
	if k.low++; k.low == 0 { // it has had all values
		k.high++
	}
	return k
}

// run serves the sockets until the set is closed.
func (x *sockets) run() {
	raw, err := x.file.SyscallConn()
	var events [128]unix.EpollEvent
	for n := 0; err == nil; {
		err = raw.Read(func(ep uintptr) bool {
			n, _ = unix.EpollWait(int(ep), events[:], 0)
			return n > 0
		})
		for _, e := range events[:max(n, 0)] {
			if s := x.find(keyOf(&e)); s != nil {
				s.ready(e.Events&^unix.EPOLLOUT == 0)
			}
		}
		n = 0
	}
}

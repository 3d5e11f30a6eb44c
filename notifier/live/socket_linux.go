package live

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/r3labs/sse/v2"
	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/notifier"
)

// socket is the outlet of a hijacked connection. It has no goroutine: the post of its shard writes to it, and the
// loop of all sockets writes the rest once the kernel has room, and notices that the client has left.
type socket struct {
	set  *sockets
	conn *conn
	key  socketKey
	gone atomic.Bool

	mu    sync.Mutex
	fd    int      // -1 once closed
	begun bool     // the loop watches it, and the head is written or the first of rest
	rest  [][]byte // frames that are not written yet, the first of them perhaps in part
	last  bool     // the stream ends when all frames are written
	since time.Time
	timer *time.Timer // cuts the client when writing the first of rest takes too long; nil while nothing waits
}

func (s *socket) publish(ev *sse.Event, last bool) {
	s.set.hub.shard(s.conn.user.seq).post.publish(ev, letter{to: s, last: last})
}

func (s *socket) share(v *view, b notifier.Badge, due bool) {
	v.copies = append(v.copies, copied{s, b, due})
}

func (s *socket) left() bool { return s.gone.Load() }

// cut closes the connection without waiting for anything: the kernel drops what the client has not received.
func (s *socket) cut() { s.unlessClosed(s.abort) }

// begin writes the head and the first event, then what was published meanwhile.
func (s *socket) begin(frame []byte) {
	s.unlessClosed(func() {
		s.begun = true
		s.rest = append([][]byte{frame}, s.rest...)
		if s.set.watch(s) != nil {
			s.close()
			return
		}
		s.drain()
	})
}

// write writes a frame, or keeps it to be written once the kernel has room: then frame must not be changed any
// more. A client for which too many frames are kept is disconnected.
func (s *socket) write(frame []byte, last bool) (kept bool) {
	s.unlessClosed(func() {
		s.last = s.last || last
		if s.begun && len(s.rest) == 0 {
			frame = s.put(frame)
		}
		switch {
		case len(frame) == 0:
		case len(s.rest) >= s.set.hub.lim.QueueLen:
			s.set.hub.stats.cut.Add(1)
			s.abort()
		default:
			s.rest = append(s.rest, frame)
			kept = true
		}
		s.settle()
	})
	return kept
}

// ready is called by the loop: the kernel has room, or the client has left.
func (s *socket) ready(room bool) {
	s.unlessClosed(func() {
		if room {
			s.drain()
		} else {
			s.close()
		}
	})
}

// late is called when writing the first of rest may have taken too long.
func (s *socket) late() {
	s.unlessClosed(func() {
		if s.timer == nil {
			return // everything was written meanwhile
		}
		if left := s.set.hub.lim.WriteTimeout - time.Since(s.since); left > 0 {
			s.timer.Reset(left)
			return
		}
		s.set.hub.stats.cut.Add(1)
		s.abort()
	})
}

func (s *socket) unlessClosed(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fd >= 0 {
		f()
	}
}

// drain writes kept frames while the kernel has room. The caller holds s.mu, as for all methods below.
func (s *socket) drain() {
	for len(s.rest) > 0 {
		left := s.put(s.rest[0])
		if s.fd < 0 {
			return
		}
		if len(left) > 0 {
			s.rest[0] = left
			break
		}
		s.rest = s.rest[1:]
		s.since = time.Now()
	}
	s.settle()
}

// put writes as much of a frame as the kernel has room for, and returns the rest. After an error the connection is
// closed, and there is no rest.
func (s *socket) put(frame []byte) []byte {
	for len(frame) > 0 {
		n, err := syscall.Write(s.fd, frame) // not unix.Write, which the race detector does not order before the peer's read
		switch {
		case err == nil:
			frame = frame[n:]
		case errors.Is(err, unix.EAGAIN):
			return frame
		case !errors.Is(err, unix.EINTR):
			s.close()
			return nil
		}
	}
	return nil
}

// settle adjusts what the socket waits for to the frames that are left.
func (s *socket) settle() {
	waits := len(s.rest) > 0
	switch {
	case s.fd < 0 || !s.begun:
	case !waits && s.last:
		s.close()
	case waits == (s.timer != nil):
	case waits:
		s.set.wantRoom(s, true)
		s.since = time.Now()
		s.timer = time.AfterFunc(s.set.hub.lim.WriteTimeout, s.late)
	default:
		s.set.wantRoom(s, false)
		s.timer.Stop()
		s.timer, s.rest = nil, nil
	}
}

// abort closes the connection and lets the kernel drop what the client has not received.
func (s *socket) abort() {
	_ = unix.SetsockoptLinger(s.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	s.close()
}

// close closes the connection. The stream leaves the hub in a goroutine, as the caller may hold the shard's lock.
func (s *socket) close() {
	s.set.forget(s)
	_ = unix.Close(s.fd)
	if s.timer != nil {
		s.timer.Stop()
	}
	s.fd, s.rest, s.timer = -1, nil, nil
	s.gone.Store(true)
	go s.set.hub.leave(s.conn.user, s.conn)
}

//go:build linux

package load

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// loop is one epoll instance, the streams it reads and the statistics that
// only it writes.
type loop struct {
	fleet *Fleet
	epoll int
	marks atomic.Int64 // as stats.marks, for Wait

	mu      sync.Mutex // held while events are handled
	streams map[int32]*stream
	stats   stats
	opening opening
}

type stats struct {
	events, marks, doubled, astray, dropped int64
	last                                    time.Time
	latency                                 Histogram
	err                                     error
}

// opening counts the streams that have opened or failed in this loop.
type opening struct {
	opened, failed int
	latency        Histogram
	err            error
}

const (
	readSize  = 256 << 10
	batch     = 256
	waitMilli = 100 // interval at which a loop checks whether the fleet is closing
)

var errEnded = errors.New("the server ended the stream")

func newLoop(f *Fleet) (*loop, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &loop{fleet: f, epoll: fd, streams: make(map[int32]*stream)}, nil
}

// add adds s to the loop's streams. Its request must have been sent.
func (l *loop) add(s *stream) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams[s.id] = s
	err := unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, s.fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP, Fd: s.id})
	if err != nil {
		delete(l.streams, s.id)
	}
	return err
}

// read handles incoming data until the fleet closes.
func (l *loop) read() {
	ready := make([]unix.EpollEvent, batch)
	buf := make([]byte, readSize)
	for !l.fleet.closing.Load() {
		n, err := unix.EpollWait(l.epoll, ready, waitMilli)
		if err != nil && !errors.Is(err, unix.EINTR) {
			l.mu.Lock()
			l.stats.err = fmt.Errorf("wait for events: %w", err)
			l.mu.Unlock()
			return
		}
		if n <= 0 {
			continue
		}
		l.mu.Lock()
		for _, e := range ready[:n] {
			if s := l.streams[e.Fd]; s != nil {
				l.take(s, buf)
			}
		}
		l.mu.Unlock()
	}
}

// take reads once from a stream. For a stalled stream it only detects the end.
func (l *loop) take(s *stream, buf []byte) {
	if s.stalled && s.open {
		l.end(s, errEnded)
		return
	}
	n, err := unix.Read(s.fd, buf)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return
	}
	if n <= 0 {
		l.end(s, errors.Join(errEnded, err))
		return
	}
	b, err := s.answer.body(buf[:n])
	if err != nil {
		l.end(s, err)
		return
	}
	if l.fleet.cfg.Bare && s.answer.begun && !s.open {
		l.opened(s, time.Now())
	}
	if len(b) > 0 {
		now := time.Now()
		s.events.Feed(b, func(e Event) { l.event(s, e, now) })
	}
}

func (l *loop) close() {
	for _, s := range l.streams {
		_ = unix.Close(s.fd)
	}
	_ = unix.Close(l.epoll)
}

//go:build linux

package load

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// stream is one connection, opening or open.
type stream struct {
	id      int32 // epoll returns it in place of the descriptor
	fd      int
	user    int64
	started time.Time
	open    bool
	stalled bool
	answer  response
	events  Decoder
	run     int64    // the run that seen belongs to
	seen    []uint64 // one bit per mark of that run
	badge   Badge
}

// Shown is a mark that a stream received.
type Shown struct {
	User int64
	ID   string // the id in the JSON around the mark, if it is a string
	Mark Mark
}

// event counts one event of a stream.
func (l *loop) event(s *stream, e Event, now time.Time) {
	if !s.open {
		l.opened(s, now)
	}
	l.stats.events++
	if string(e.Name) == "badge" {
		s.badge = Badge{
			Unread: number(e.Data, `"unread"`), Ver: number(e.Data, `"ver"`), AVer: number(e.Data, `"aver"`), Seen: s.badge.Seen + 1,
		}
		return
	}
	if only := l.fleet.cfg.Event; only != "" && string(e.Name) != only {
		return
	}
	m, ok := FindMark(e.Data)
	if !ok {
		return
	}
	run := l.fleet.run.Load()
	if m.Run != run || (m.User != s.user && m.User != Everyone) {
		l.stats.astray++
		return
	}
	if s.run != run {
		s.run, s.seen = run, s.seen[:0]
	}
	for word := int(m.N / 64); len(s.seen) <= word; {
		s.seen = append(s.seen, 0)
	}
	word, bit := &s.seen[m.N/64], uint64(1)<<(m.N%64)
	if *word&bit != 0 {
		l.stats.doubled++
		return
	}
	*word |= bit
	l.stats.marks++
	l.stats.last = now
	l.stats.latency.Add(now.Sub(m.Due))
	l.marks.Add(1)
	if f := l.fleet.cfg.Shown; f != nil {
		f(Shown{User: s.user, ID: text(e.Data, `"id":"`), Mark: m})
	}
}

func (l *loop) opened(s *stream, now time.Time) {
	s.open = true
	l.opening.opened++
	l.opening.latency.Add(now.Sub(s.started))
	if s.stalled { // from now on only its end wakes the loop
		err := unix.EpollCtl(l.epoll, unix.EPOLL_CTL_MOD, s.fd, &unix.EpollEvent{Events: unix.EPOLLRDHUP, Fd: s.id})
		if err != nil {
			l.stats.err = fmt.Errorf("stall a stream: %w", err)
		}
	}
	l.fleet.settled()
}

func (l *loop) end(s *stream, err error) {
	delete(l.streams, s.id)
	_ = unix.Close(s.fd) // this also removes it from the epoll instance
	if s.open {
		l.stats.dropped++
		if l.stats.err == nil {
			l.stats.err = err
		}
		return
	}
	l.opening.failed++
	if l.opening.err == nil {
		l.opening.err = err
	}
	l.fleet.settled()
}

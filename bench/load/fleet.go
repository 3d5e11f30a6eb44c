//go:build linux

package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Config configures the streams of a fleet.
type Config struct {
	Addr     string             // host:port, on loopback
	Streams  int                // number of connections
	Users    int                // stream i belongs to user i mod Users
	Request  func(i int) []byte // the whole request of stream i
	Stalled  func(i int) bool   // streams that stop reading after their first event; may be nil
	Event    string             // name of the events whose marks count; empty: all
	Shown    func(Shown)        // called once for each mark, and must not block; may be nil
	Bare     bool               // a stream is open when its response has begun; the server sends no first event
	Sources  int                // number of source addresses from 127.0.0.1 on; 0: chosen by the kernel
	Loops    int                // reading threads
	InFlight int                // maximum number of connections that are opening
	Patience time.Duration      // time for all of them to open
}

// Opening is the result of connecting. A stream is open when its first event has come, or with
// Config.Bare its header.
type Opening struct {
	Opened, Failed int
	Took           time.Duration
	Latency        Histogram
	FirstErr       error
}

// PerSecond returns the rate at which the streams opened.
func (o Opening) PerSecond() float64 { return float64(o.Opened) / o.Took.Seconds() }

// Result counts what has arrived since Begin.
type Result struct {
	Events   int64 // events with data, of any name
	Marks    int64 // distinct marks of this run on the right stream
	Doubled  int64 // marks that the same stream received before
	Astray   int64 // marks for another user or of another run
	Dropped  int64 // streams that the server ended
	Last     time.Time
	Latency  Histogram // since the time a mark was due
	FirstErr error
}

// Badge is the last badge that a stream received. Seen counts all of them.
type Badge struct{ Unread, Ver, AVer, Seen int64 }

// Fleet is many event streams read by a few threads. Open it, Begin a run,
// publish, Wait, and Close it.
type Fleet struct {
	cfg     Config
	target  sockaddr
	loops   []*loop
	slots   chan struct{} // held by connections that are opening
	run     atomic.Int64
	closing atomic.Bool
	wg      sync.WaitGroup
}

// Open connects all streams and waits until each is open or has failed, or Config.Patience is
// over. It returns an error only if no stream opened.
func Open(ctx context.Context, cfg Config) (*Fleet, Opening, error) {
	f := &Fleet{cfg: cfg, slots: make(chan struct{}, cfg.InFlight)}
	var err error
	if f.target, err = resolve(cfg.Addr); err != nil {
		return nil, Opening{}, err
	}
	for range cfg.Loops {
		l, err := newLoop(f)
		if err != nil {
			f.Close()
			return nil, Opening{}, fmt.Errorf("start a reading loop: %w", err)
		}
		f.loops = append(f.loops, l)
		f.wg.Go(l.read)
	}
	o := f.connect(ctx)
	if o.Opened == 0 {
		f.Close()
		return nil, o, fmt.Errorf("open %d streams at %s: %w", cfg.Streams, cfg.Addr, errors.Join(o.FirstErr, ctx.Err()))
	}
	return f, o, nil
}

// Begin resets all counts and starts counting the marks of run.
func (f *Fleet) Begin(run int64) {
	for _, l := range f.loops {
		l.mu.Lock()
		l.stats = stats{}
		l.mu.Unlock()
		l.marks.Store(0)
	}
	f.run.Store(run)
}

// Wait returns when want distinct marks have come, when none has come for the time quiet, or
// when ctx is done.
func (f *Fleet) Wait(ctx context.Context, want int64, quiet time.Duration) Result {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	seen, since := int64(-1), time.Now()
	for {
		marks := f.Marks()
		if marks != seen {
			seen, since = marks, time.Now()
		}
		if marks >= want || time.Since(since) > quiet {
			return f.Result()
		}
		select {
		case <-ctx.Done():
			return f.Result()
		case <-tick.C:
		}
	}
}

// Marks returns the number of distinct marks since Begin.
func (f *Fleet) Marks() (n int64) {
	for _, l := range f.loops {
		n += l.marks.Load()
	}
	return n
}

// Result returns the counts since Begin.
func (f *Fleet) Result() Result {
	var r Result
	for _, l := range f.loops {
		l.mu.Lock()
		s := &l.stats
		r.Events += s.events
		r.Marks += s.marks
		r.Doubled += s.doubled
		r.Astray += s.astray
		r.Dropped += s.dropped
		r.Latency.Merge(&s.latency)
		if s.last.After(r.Last) {
			r.Last = s.last
		}
		if r.FirstErr == nil {
			r.FirstErr = s.err
		}
		l.mu.Unlock()
	}
	return r
}

// Badges returns the last badge of each stream.
func (f *Fleet) Badges() []Badge {
	all := make([]Badge, f.cfg.Streams)
	for _, l := range f.loops {
		l.mu.Lock()
		for _, s := range l.streams {
			all[s.id] = s.badge
		}
		l.mu.Unlock()
	}
	return all
}

// Stalled returns, by the number of the stream, how many bytes the kernel holds for each
// stream that does not read and that the server has not ended.
func (f *Fleet) Stalled() map[int32]int {
	waiting := make(map[int32]int)
	for _, l := range f.loops {
		l.mu.Lock()
		for _, s := range l.streams {
			if s.stalled && s.open {
				waiting[s.id], _ = unix.IoctlGetInt(s.fd, unix.TIOCINQ)
			}
		}
		l.mu.Unlock()
	}
	return waiting
}

// Close ends every stream and the loops.
func (f *Fleet) Close() {
	f.closing.Store(true)
	f.wg.Wait()
	for _, l := range f.loops {
		l.close()
	}
}

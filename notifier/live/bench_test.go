package live

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/internal/redistest"
)

// clients are raw sockets that use no Go runtime resources of this process.
type clients []int

func (cs clients) close() {
	for _, fd := range cs {
		_ = unix.Close(fd)
	}
}

// connectAll opens one stream for each of n users and waits for every first badge.
func connectAll(b *testing.B, w *world, n int) clients {
	b.Helper()
	addr, ok := w.srv.Listener.Addr().(*net.TCPAddr)
	if !ok {
		b.Fatal("not TCP")
	}
	fds := make(clients, n)
	var wg sync.WaitGroup
	const workers = 32
	for g := range workers {
		wg.Go(func() {
			buf := make([]byte, 2048)
			for i := g; i < n; i += workers {
				fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
				if err == nil {
					err = unix.Connect(fd, &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte{127, 0, 0, 1}})
				}
				if err == nil {
					_, err = unix.Write(fd, fmt.Appendf(nil, "GET /events HTTP/1.1\r\nHost: x\r\nX-Seq: %d\r\nX-Session: of-%d\r\nX-Visible: 1\r\n\r\n", i+1, i+1))
				}
				var got int
				if err == nil {
					got, err = unix.Read(fd, buf)
				}
				if err != nil || !strings.Contains(string(buf[:max(got, 0)]), "event: badge") {
					b.Errorf("%v: %q", err, buf[:max(got, 0)])
				}
				fds[i] = fd
			}
		})
	}
	wg.Wait()
	return fds
}

// BenchmarkIdleStream reports the memory that an idle stream uses: -benchtime=9000x.
func BenchmarkIdleStream(b *testing.B) {
	w := newToaster(b, redistest.Client(b), redistest.Space(b), nil).world // each browser reports that it is visible, so that all per-user state exists
	connectAll(b, w, 1).close()
	before, heap := residentKB(b), inUse()
	b.ResetTimer()
	fds := connectAll(b, w, b.N)
	b.StopTimer()
	defer fds.close()
	b.ReportMetric(float64(residentKB(b)-before)/float64(b.N), "rss_KB/stream")
	b.ReportMetric(float64(inUse()-heap)/float64(b.N), "live_B/stream")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.StackInuse)/float64(b.N), "stack_B/stream")
	b.ReportMetric(float64(runtime.NumGoroutine())/float64(b.N), "goroutines/stream")
}

// inUse returns the live heap and stacks after a collection.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

func residentKB(b *testing.B) int {
	b.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("no /proc here")
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		b.Fatal(err)
	}
	return pages * os.Getpagesize() / 1024
}

// BenchmarkConnect measures a new user's connection up to the first badge, 64 at a time, including
// the client's work.
func BenchmarkConnect(b *testing.B) {
	w := newWorld(b, redistest.Client(b), redistest.Space(b), nil)
	var seq atomic.Int64
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		buf := make([]byte, 2048)
		for pb.Next() {
			c := w.raw(seq.Add(1))
			if n, err := c.Read(buf); err != nil || !strings.Contains(string(buf[:n]), "event: badge") {
				b.Errorf("%v: %q", err, buf[:n])
			}
			_ = c.Close()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "connects/s")
}

// BenchmarkChange measures one change to one of many users, from the message to the write.
func BenchmarkChange(b *testing.B) {
	const users = 1000
	w := newWorld(b, redistest.Client(b), redistest.Space(b), nil)
	fds := connectAll(b, w, users)
	defer fds.close()
	for _, fd := range fds {
		go func() {
			buf := make([]byte, 4096)
			for {
				if n, err := unix.Read(fd, buf); n <= 0 || err != nil {
					return
				}
			}
		}()
	}
	content := `{"type":"like","title":"` + strings.Repeat("x", 200) + `"}`
	u := w.hub.shard(1).users[1]
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		seq := int64(i%users) + 1
		w.hub.hear(u.link, w.keys.LiveUser(seq), fmt.Sprintf("%d %d\nnotice 9 like:1 %s", 100+i, i, content))
	}
	if cut := w.hub.Stats().Cut; cut > 0 {
		b.Errorf("%d clients cut", cut)
	}
}

// BenchmarkTurn measures one announcement to 9,000 connected users, from its publication until the last has
// received the event and the badge. The time includes reading by the clients, which doubles the work on the
// same processors.
func BenchmarkTurn(b *testing.B) {
	const users = 9_000 // each uses two file descriptors of this process, which has a limit of 20,000
	board := &board{ann: map[int64]half{}, start: half{aver: 100}}
	w := newWorld(b, redistest.Client(b), redistest.Space(b), func(c *Config) {
		c.Badges, c.Limits.Check = board, time.Hour
	})
	fds := connectAll(b, w, users)
	defer fds.close()
	all := newReader(b, fds)
	content := `{"title":"Maintenance","body":"` + strings.Repeat("x", 500) + `","link":"/","pinned":false}`
	reads := w.hub.Stats().Rereads
	var took []time.Duration
	b.ReportAllocs()
	for i := int64(1); b.Loop(); i++ {
		began := time.Now()
		w.publishTurn(1, 100+i, 99+i, fmt.Sprintf("open %d 0 %s", i, content))
		all.read(b, users)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50_ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99_ms")
	if s := w.hub.Stats(); s.Cut > 0 || s.Rereads != reads {
		b.Errorf("%d clients cut, %d badges read", s.Cut, s.Rereads-reads)
	}
}

// reader reads from many clients in one goroutine.
type reader struct {
	epoll int
	ready []unix.EpollEvent
	buf   []byte
}

func newReader(b *testing.B, fds clients) *reader {
	b.Helper()
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = unix.Close(epoll) })
	for _, fd := range fds {
		if err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}); err != nil {
			b.Fatal(err)
		}
	}
	return &reader{epoll: epoll, ready: make([]unix.EpollEvent, 512), buf: make([]byte, 64<<10)}
}

// read returns when this many badges have arrived.
func (r *reader) read(b *testing.B, badges int) {
	b.Helper()
	for badges > 0 {
		n, err := unix.EpollWait(r.epoll, r.ready, 10_000)
		if err == unix.EINTR {
			continue
		}
		if n <= 0 {
			b.Fatalf("%v: %d badges missing", err, badges)
		}
		for _, e := range r.ready[:n] {
			got, err := unix.Read(int(e.Fd), r.buf)
			if got <= 0 {
				b.Fatalf("a stream ended: %v", err)
			}
			badges -= bytes.Count(r.buf[:got], []byte("event: badge\n"))
		}
	}
}

package announcement_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
)

const tenMillion = 10_000_000

// crowd returns a site of ten million customers with some open announcements, each read by every
// second user.
func crowd(b *testing.B, open int) *site {
	b.Helper()
	rdb := redistest.Own(b).Client(b)
	s := newSite(b, rdb)
	s.sql.users = slices.Repeat([]notifier.Audience{customer}, tenMillion)
	for i := range open {
		n := draft("Number " + strconv.Itoa(i))
		n.LateJoiners = true
		s.sql.announce(n)
	}
	s.sync(b)
	half := strings.Repeat("\xaa", tenMillion/8+1)
	for id := int64(1); id <= int64(open); id++ {
		if err := rdb.SetRange(b.Context(), s.k.Bits(customer, id), 0, half).Err(); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// report reports the time that Redis itself spent on each operation since used.
func report(b *testing.B, rdb redis.UniversalClient, used time.Duration) {
	b.Helper()
	b.ReportMetric(float64((redisTime(b, rdb)-used).Microseconds())/float64(b.N), "redis-cpu-µs/op")
}

// redisTime returns the processor time used by the server. Unlike wall-clock time, it does not
// depend on the load of the machine.
func redisTime(b *testing.B, rdb redis.UniversalClient) (used time.Duration) {
	b.Helper()
	for line := range strings.Lines(rdb.Info(b.Context(), "cpu").Val()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_user" || name == "used_cpu_sys" {
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil {
				b.Fatal(err)
			}
			used += time.Duration(seconds * float64(time.Second))
		}
	}
	return used
}

// BenchmarkCount counts the open announcements for several readers at once, with ten million users.
func BenchmarkCount(b *testing.B) {
	for _, c := range []struct{ readers, open int }{{1, 64}, {1, 5}, {500, 20}, {500, 64}} {
		b.Run(fmt.Sprintf("readers=%d/open=%d", c.readers, c.open), func(b *testing.B) {
			s := crowd(b, c.open)
			memory, err := s.rdb.MemoryUsage(b.Context(), s.k.Bits(customer, 1)).Result()
			if err != nil {
				b.Fatal(err)
			}
			readers := make([]notifier.Reader, c.readers)
			used := redisTime(b, s.rdb)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				for j := range readers {
					readers[j] = reader(int64((i*c.readers+j)*7919%tenMillion) + 1)
				}
				if _, err := s.Badges(b.Context(), readers); err != nil {
					b.Fatal(err)
				}
			}
			report(b, s.rdb, used)
			b.ReportMetric(float64(memory), "bytes/announcement")
		})
	}
}

// BenchmarkList lists 5 and 64 open announcements for one reader.
func BenchmarkList(b *testing.B) {
	for _, open := range []int{5, 64} {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			s := crowd(b, open)
			used := redisTime(b, s.rdb)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				if _, err := s.List(b.Context(), reader(int64(i*7919%tenMillion)+1)); err != nil {
					b.Fatal(err)
				}
			}
			report(b, s.rdb, used)
		})
	}
}

// BenchmarkMark marks one of five announcements as read, each time by another user.
func BenchmarkMark(b *testing.B) {
	s := crowd(b, 5)
	used := redisTime(b, s.rdb)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if _, err := s.MarkRead(b.Context(), reader(int64(i*2*7919%tenMillion)+1), int64(i%5)+1); err != nil {
			b.Fatal(err)
		}
	}
	report(b, s.rdb, used)
}

// BenchmarkFlush writes one change in each of 305 segments to SQL. One operation writes all of them.
func BenchmarkFlush(b *testing.B) {
	s := crowd(b, 1)
	for i := range b.N {
		b.StopTimer()
		for seq := int64(1); seq < tenMillion; seq += notifier.SegmentBytes * 8 {
			call := s.MarkUnread
			if i%2 == 1 {
				call = s.MarkRead
			}
			if _, err := call(b.Context(), reader(seq+1), 1); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if _, err := s.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPages reads one badge each from many concurrent pages, over 5 and 20 open announcements,
// with shared calls and with separate calls. One operation is one page.
func BenchmarkPages(b *testing.B) {
	for _, open := range []int{5, 20} {
		s := crowd(b, open)
		for _, callers := range []int{1, 8, 32} {
			for _, shared := range []bool{true, false} {
				b.Run(fmt.Sprintf("open=%d/callers=%d/shared=%v", open, callers, shared), func(b *testing.B) {
					ask := s.Announcements.Badges
					if !shared {
						ask = s.Announcements.Apart
					}
					benchPages(b, s, callers, ask)
				})
			}
		}
	}
}

func benchPages(b *testing.B, s *site, callers int, ask announcement.Ask) {
	b.Helper()
	var next atomic.Int64
	used := redisTime(b, s.rdb)
	b.ResetTimer()
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for {
				i := next.Add(1)
				if i > int64(b.N) {
					return
				}
				if _, err := ask(b.Context(), []notifier.Reader{reader(i*7919%tenMillion + 1)}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	report(b, s.rdb, used)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}

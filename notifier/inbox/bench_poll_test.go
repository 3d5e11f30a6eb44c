package inbox_test

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// BenchmarkPoll polls warm inboxes without new entries, from several callers at once. On a shared
// machine the processor time is more meaningful than the elapsed time.
func BenchmarkPoll(b *testing.B) {
	rdb := redistest.Client(b)
	box := inbox.New(rdb, redistest.Space(b), inbox.Options{})
	seqs := make([]int64, benchUsers)
	for i := range seqs {
		seqs[i] = int64(i + 1)
	}
	if _, err := box.Deliver(b.Context(), benchNotice(1, benchUsers), seqs); err != nil {
		b.Fatal(err)
	}
	q := notifier.PollQuery{Since: time.Now().Add(time.Hour).UnixMilli()}
	for _, callers := range []int{1, 4, 32} {
		b.Run(fmt.Sprint(callers, " callers"), func(b *testing.B) {
			b.SetParallelism(callers) // with -cpu 1
			b.ReportAllocs()
			var next atomic.Int64
			theirs, own := redisTime(b, rdb), ownTime(b)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := box.Poll(b.Context(), next.Add(1)%benchUsers+1, q); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64((ownTime(b)-own).Nanoseconds())/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64((redisTime(b, rdb)-theirs).Nanoseconds())/float64(b.N), "redis-cpu-ns/op")
		})
	}
}

// ownTime returns the processor time used by this process.
func ownTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

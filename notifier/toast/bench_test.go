package toast_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

const benchUsers = 2048

var benchContent = []byte(`{"title":"Somebody likes your photo","body":"` + strings.Repeat("body ", 40) + `","link":"/photos/1"}`)

// one is a raise of one notice for one user: one script call.
func one(notice, seq int64) notifier.ToastRaise {
	return notifier.ToastRaise{NoticeID: notice, Key: "like:photo:1", Content: benchContent, Seqs: []int64{seq}}
}

// BenchmarkPing is the upper bound: pipelines of 256 of the cheapest command Redis has.
func BenchmarkPing(b *testing.B) {
	rdb := redistest.Client(b)
	for done := 0; done < b.N; done += 256 {
		pipe := rdb.Pipeline()
		for range 256 {
			pipe.Ping(b.Context())
		}
		if _, err := pipe.Exec(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

// BenchmarkRaise raises notices to one user each; one operation is one script call.
func BenchmarkRaise(b *testing.B) {
	s := newSite(b, redistest.Client(b))
	b.ReportAllocs()
	all := make([]notifier.ToastRaise, 256)
	for done := 0; done < b.N; done += len(all) {
		for i := range all {
			n := int64(done + i)
			all[i] = one(n+1, n%benchUsers+1)
		}
		s.raise(b, all...)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "scripts/s")
}

// BenchmarkRaiseToMany raises one notice after another to 2,048 users; one operation is one user.
func BenchmarkRaiseToMany(b *testing.B) {
	s := newSite(b, redistest.Client(b))
	b.ReportAllocs()
	r := one(0, 0)
	r.Seqs = nil
	for seq := range int64(benchUsers) {
		r.Seqs = append(r.Seqs, seq+1)
	}
	for done := 0; done < b.N; done += benchUsers {
		r.NoticeID++
		s.raise(b, r)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "users/s")
}

// BenchmarkTakeAndAck takes one toast of each user in pipelines of 256 and acknowledges each in a separate call, as
// browsers do, from 32 callers at once. Raising is not measured.
func BenchmarkTakeAndAck(b *testing.B) {
	s := newSite(b, redistest.Client(b))
	b.ReportAllocs()
	seqs, all := make([]int64, 256), make([]notifier.ToastRaise, 256)
	for done := 0; done < b.N; done += len(seqs) {
		b.StopTimer()
		for i := range seqs {
			n := int64(done + i)
			seqs[i] = n%benchUsers + 1
			all[i] = one(n+1, seqs[i])
		}
		s.raise(b, all...)
		b.StartTimer()
		taken, err := s.a.Take(b.Context(), seqs)
		if err != nil {
			b.Fatal(err)
		}
		var callers sync.WaitGroup
		for c := range 32 {
			callers.Go(func() {
				for i := c; i < len(seqs); i += 32 {
					if err := s.a.Ack(b.Context(), seqs[i], []string{taken[i].Toasts[0].ID}); err != nil {
						b.Error(err)
					}
				}
			})
		}
		callers.Wait()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "users/s")
}

// BenchmarkTake takes the toasts of users in pipelines of 256, one toast per user.
func BenchmarkTake(b *testing.B) {
	s := newSite(b, redistest.Client(b))
	b.ReportAllocs()
	r := one(1, 0)
	r.Seqs = nil
	for seq := range int64(256) {
		r.Seqs = append(r.Seqs, seq+1)
	}
	s.raise(b, r)
	b.ResetTimer()
	for done := 0; done < b.N; done += len(r.Seqs) {
		if all, err := s.a.Take(b.Context(), r.Seqs); err != nil || len(all[255].Toasts) != 1 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "scripts/s")
}

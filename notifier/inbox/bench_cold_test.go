package inbox_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// BenchmarkSnapshot reads inboxes of 30 rows and restores them; one operation is one inbox. The
// time that SQL would take is not included.
func BenchmarkSnapshot(b *testing.B) {
	s := newSite(b, redistest.Client(b), 0)
	h := s.beside(0)
	seqs := make([]int64, 500)
	for i := range seqs {
		seqs[i] = int64(i + 1)
	}
	for id := range int64(30) {
		n := benchNotice(id+1, 500)
		n.Subject = fmt.Sprint("photo:", id)
		n.CreatedAt, n.ExpiresAt = s.clock.now(), s.clock.in(90*24*time.Hour)
		h.keep(n)
		if _, err := s.Deliver(b.Context(), n, seqs); err != nil {
			b.Fatal(err)
		}
	}
	h.save(s.readAll(b, seqs))
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for done := 0; done < b.N; done += len(seqs) {
			s.readAll(b, seqs[:min(len(seqs), b.N-done)])
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inboxes/s")
	})
	b.Run("restore", func(b *testing.B) {
		b.ReportAllocs()
		for done := 0; done < b.N; done += len(seqs) {
			some := seqs[:min(len(seqs), b.N-done)]
			b.StopTimer()
			for _, seq := range some {
				s.rdb.Del(b.Context(), s.k.List(seq), s.k.Hash(seq), s.k.State(seq), s.k.Gone(seq), s.k.Archive(seq))
			}
			b.StartTimer()
			if _, err := s.Badges(b.Context(), some); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inboxes/s")
	})
}

func (s *site) readAll(b *testing.B, seqs []int64) []notifier.Snapshot {
	b.Helper()
	list, err := s.Read(b.Context(), seqs)
	if err != nil || len(list) != len(seqs) {
		b.Fatal(len(list), err)
	}
	return list
}

package delivery_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier/delivery"
)

// BenchmarkIntake measures small notices with a handler that does nothing: reading only, and
// reading while they are being added. The target is 40,000/s.
func BenchmarkIntake(b *testing.B) {
	entry := small(7)
	entry.Delivery.Content = make([]byte, 230)
	for i := range entry.Delivery.Content {
		entry.Delivery.Content[i] = 'x'
	}
	batch := make([]delivery.Entry, 1024)
	for i := range batch {
		batch[i] = entry
	}
	fill := func(b *testing.B, s *site) {
		b.Helper()
		q := s.intake(handler{})
		for n := 0; n < b.N; n += len(batch) {
			if err := q.Put(context.Background(), batch[:min(len(batch), b.N-n)]...); err != nil {
				b.Fatal(err)
			}
		}
	}
	run := func(b *testing.B, s *site, beside func()) {
		b.Helper()
		var done atomic.Int64
		all := make(chan struct{})
		q := s.intake(handler{confirm: func(_ context.Context, entries []delivery.Entry) error {
			if done.Add(int64(len(entries))) == int64(b.N) {
				close(all)
			}
			return nil
		}}, func(c *delivery.IntakeConfig) { c.Idle, c.Every = 0, 0 })
		b.ResetTimer()
		stop := start(b, q)
		beside()
		<-all
		b.StopTimer()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
		stop()
	}
	b.Run("read", func(b *testing.B) {
		s := newSite(b, redistest.Own(b).Client(b))
		fill(b, s)
		run(b, s, func() {})
	})
	b.Run("put and read", func(b *testing.B) {
		s := newSite(b, redistest.Own(b).Client(b))
		run(b, s, func() { fill(b, s) })
	})
}

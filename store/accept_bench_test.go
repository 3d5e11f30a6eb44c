package store_test

import (
	"crypto/rand"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// durable is the URL of a PostgreSQL that waits for the disk, unlike the server of the tests.
var durable = flag.String("postgres", "", "URL of an empty PostgreSQL to measure on; the tests' own when empty")

// onDisk runs a benchmark on both databases.
func onDisk(b *testing.B, measure func(b *testing.B, s *store.Store)) {
	b.Helper()
	for _, name := range []string{"sqlite", "postgres"} {
		cfg := store.Config{DataDir: b.TempDir()}
		if name == "postgres" {
			if cfg.URL = *durable; cfg.URL == "" {
				cfg.URL = postgresURL(b)
			}
		}
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			measure(b, s)
		})
	}
}

// ordinary returns a typical notice of a host application: to one user of many. key is the
// idempotency key of its request; empty: none.
func ordinary(i int, key string) *notifier.Acceptance {
	n := &notifier.Notice{ExpiresAt: time.Now().Add(72 * time.Hour), Draft: notifier.Draft{
		Target: notifier.Target{Users: []string{"user.004711"}}, Type: "like", Subject: fmt.Sprintf("photo_id:%d:user_id:7", i),
		Title: "Alice likes your photo", Body: "Your photo of the harbour at night has a new friend: Alice.", Link: "/photos/1", Sender: notifier.CommandRef("photos"),
	}}
	a := &notifier.Acceptance{Notice: n, To: roaring.BitmapOf(uint32(i%100_000 + 1))}
	if key != "" {
		a.Once = &notifier.Once{Owner: notifier.KeyRef("photos"), Key: fmt.Sprint(key, "/", i), Digest: make([]byte, 32)}
	}
	return a
}

// BenchmarkAccept measures how fast notices are stored durably: one by one by 64 senders, and in
// batches by 4 senders.
func BenchmarkAccept(b *testing.B) {
	for _, kind := range []struct {
		name          string
		batch, beside int
		once          bool
	}{
		{"one by one", 1, 64, false},
		{"one by one, with keys", 1, 64, true},
		{"batches of 100", 100, 16, false},
		{"batches of 1000", 1000, 4, false},
		{"batches of 1000, with keys", 1000, 4, true},
	} {
		b.Run(kind.name, func(b *testing.B) {
			onDisk(b, func(b *testing.B, s *store.Store) {
				b.SetParallelism(kind.beside / 2) // there are two processors
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for more := true; more; {
						all, key := make([]*notifier.Acceptance, 0, kind.batch), ""
						if kind.once {
							key = rand.Text()
						}
						for len(all) < kind.batch {
							if more = pb.Next(); !more {
								break
							}
							all = append(all, ordinary(len(all), key))
						}
						if err := s.AcceptAll(b.Context(), notifier.Deed{}, all); err != nil {
							b.Error(err)
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "notices/s")
			})
		})
	}
}

// BenchmarkConfirm measures how fast delivered notices become sent, 256 at a time.
func BenchmarkConfirm(b *testing.B) {
	onDisk(b, func(b *testing.B, s *store.Store) {
		const size = 256
		var done []notifier.Revised
		for b.Loop() {
			if len(done) == 0 {
				b.StopTimer()
				for range 40 {
					all := make([]*notifier.Acceptance, size)
					for i := range all {
						all[i] = ordinary(i, "")
					}
					if err := s.AcceptAll(b.Context(), notifier.Deed{}, all); err != nil {
						b.Fatal(err)
					}
					for _, a := range all {
						done = append(done, notifier.Revised{ID: a.Notice.ID})
					}
				}
				b.StartTimer()
			}
			moved, err := s.Confirm(b.Context(), done[:size])
			if err != nil || len(moved) > 0 {
				b.Fatal(moved, err)
			}
			done = done[size:]
		}
		b.ReportMetric(size*float64(b.N)/b.Elapsed().Seconds(), "notices/s")
	})
}

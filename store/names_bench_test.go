package store_test

import (
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// BenchmarkRecipients measures finding the recipients of a notice to users: their numbers, and which of them have
// muted its type. A poll looks up one user.
func BenchmarkRecipients(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		i := 0
		_, err := s.ImportUsers(b.Context(), 10_000, func() (notifier.NewUser, int, error) {
			if i++; i > 10_000 {
				return notifier.NewUser{}, i, io.EOF
			}
			return notifier.NewUser{Name: fmt.Sprintf("user.%06d", i), Audience: 3}, i, nil
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("one user", func(b *testing.B) {
			b.ReportAllocs()
			defer cpu(b)()
			for b.Loop() {
				if _, err := s.UserByName(b.Context(), "user.007000"); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, n := range []int{1, 4, 32} {
			names, who := make([]string, n), roaring.New()
			for i := range names {
				names[i] = fmt.Sprintf("user.%06d", 7000+i)
				who.Add(uint32(7000 + i))
			}
			b.Run(fmt.Sprint("names of ", n), func(b *testing.B) {
				b.ReportAllocs()
				defer cpu(b)()
				for b.Loop() {
					if _, _, err := s.SeqsByName(b.Context(), names); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprint("both of ", n), func(b *testing.B) {
				b.ReportAllocs()
				defer cpu(b)()
				for b.Loop() {
					if _, _, err := s.Addressees(b.Context(), "news", names); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprint("mutes of ", n), func(b *testing.B) {
				b.ReportAllocs()
				defer cpu(b)()
				for b.Loop() {
					if _, err := s.MutedBy(b.Context(), "news", who); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// cpu reports the processor time per operation: on a shared machine the elapsed time is not meaningful.
func cpu(b *testing.B) (done func()) {
	b.Helper()
	used := func() (ns int64) {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	before := used()
	return func() { b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op") }
}

package store_test

import (
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/store"
)

// BenchmarkRecipients is what it costs to know who gets a notice to some users: their
// numbers, and who of them has muted its type. One user is what a poll asks for.
func BenchmarkRecipients(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		i := 0
		_, err := s.ImportUsers(b.Context(), 10_000, func() (store.NewUser, int, error) {
			if i++; i > 10_000 {
				return store.NewUser{}, i, io.EOF
			}
			return store.NewUser{Name: fmt.Sprintf("user.%06d", i), Audience: 3}, i, nil
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

// cpu reports what processors did for an operation: on a machine that others use, too,
// the time it took says little.
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

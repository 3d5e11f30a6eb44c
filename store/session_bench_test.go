package store_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// BenchmarkSession measures a request whose session is not in the cache.
func BenchmarkSession(b *testing.B) {
	for name, url := range map[string]func(testing.TB) string{"sqlite": func(testing.TB) string { return "" }, "postgres": postgresURL} {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), store.Config{URL: url(b), DataDir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			const users = 1000
			for i := range users {
				u, err := s.CreateUser(b.Context(), notifier.NewUser{Name: "user" + strconv.Itoa(i), Audience: 2, Roles: []string{"picker"}})
				if err != nil {
					b.Fatal(err)
				}
				if err := s.CreateSession(b.Context(), strconv.Itoa(i), notifier.Signed{User: u}, time.Now()); err != nil {
					b.Fatal(err)
				}
			}
			var next atomic.Int64
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if _, _, err := sessionOf(b.Context(), s, strconv.FormatInt(next.Add(1)%users, 10)); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

package store_test

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// crowd is the number of users and of notices in the search benchmarks.
const crowd = 100_000

// onEach runs a benchmark on both databases.
func onEach(b *testing.B, measure func(b *testing.B, s *store.Store)) {
	b.Helper()
	for name, url := range map[string]func(testing.TB) string{"sqlite": func(testing.TB) string { return "" }, "postgres": postgresURL} {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), store.Config{URL: url(b), DataDir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			measure(b, s)
		})
	}
}

// BenchmarkUsers measures a list of the directory and the queries that run while a name is typed.
// No name contains "qqq": that search scans all names.
func BenchmarkUsers(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		i := 0
		_, err := s.ImportUsers(b.Context(), crowd, func() (notifier.NewUser, int, error) {
			if i++; i > crowd {
				return notifier.NewUser{}, i, io.EOF
			}
			return notifier.NewUser{Name: fmt.Sprintf("user.%06d", i), Audience: 3, Roles: []string{"all"}}, i, nil
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
		for name, q := range map[string]notifier.UserQuery{
			"prefix":   {Prefix: "user.05", Limit: 8},
			"contains": {Contains: "5000", Limit: 8},
			"nobody":   {Contains: "qqq", Limit: 8},
			"page":     {After: "user.050000", Limit: 51},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Users(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		for _, part := range []string{"u", "5000", "qqq"} {
			b.Run("typed "+part, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.FindUsers(b.Context(), part, 8); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run("role", func(b *testing.B) {
			for b.Loop() {
				if _, err := s.FindRoles(b.Context(), "al", 8); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// BenchmarkNotices measures a page of sent notices. One of the searches fills a page early, and one
// scans all notices.
func BenchmarkNotices(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		var wg sync.WaitGroup
		for i := range 500 {
			wg.Go(func() {
				for j := range crowd / 500 {
					n := notifier.Notice{Draft: draft(), ExpiresAt: time.Now().Add(time.Hour)}
					n.Title = fmt.Sprintf("Order %d of the day has left the warehouse", i*1000+j)
					if err := s.Accept(b.Context(), &n); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		for name, q := range map[string]notifier.NoticeQuery{
			"newest":        {Limit: 51},
			"oldest, after": {Oldest: true, After: crowd / 2, Limit: 51},
			"search, soon":  {Contains: "WAREHOUSE", Limit: 51},
			"search, none":  {Contains: "no such words", Limit: 51},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Notices(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// BenchmarkMutedBy measures the cost of mutes per notice, for a type that almost no user has muted
// and for one that half of the directory has muted.
func BenchmarkMutedBy(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		i := 0
		_, err := s.ImportUsers(b.Context(), crowd, func() (notifier.NewUser, int, error) {
			if i++; i > crowd {
				return notifier.NewUser{}, i, io.EOF
			}
			return notifier.NewUser{Name: fmt.Sprintf("user.%06d", i), Audience: 3}, i, nil
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
		store.Exec(b, s, `INSERT INTO mutes (type, seq) SELECT 'noise', seq FROM users WHERE seq % 2 = 0`)
		all := roaring.New()
		all.AddRange(1, crowd+1)
		for name, who := range map[string]*roaring.Bitmap{"one": roaring.BitmapOf(77_778), "all": all} {
			for _, typ := range []string{"news", "noise"} {
				b.Run(typ+" to "+name, func(b *testing.B) {
					for b.Loop() {
						if _, err := s.MutedBy(b.Context(), typ, who); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	})
}

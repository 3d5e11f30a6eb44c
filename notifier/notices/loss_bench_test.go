package notices_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

// BenchmarkWriteBehind writes 5,000 changed inboxes of 30 rows from Redis to SQL, and then restores
// them all.
func BenchmarkWriteBehind(b *testing.B) {
	const users, rows = 5000, 30
	for _, sql := range []string{"sqlite", "postgres"} {
		b.Run(sql, func(b *testing.B) {
			c := store.Config{DataDir: b.TempDir()}
			if sql == "postgres" {
				c.URL = sqltest.URL(b)
			}
			s, err := store.Open(b.Context(), c)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			rdb := redistest.Own(b).Client(b)
			r := &rig{store: s, rdb: rdb, keys: keys.New("bench:")}
			r.inbox = inbox.New(rdb, r.keys, inbox.Options{SQL: s})
			seqs := r.users(b, "all", users)
			for i := range rows {
				d := toRole("all")
				d.Title = fmt.Sprint("Lift ", i)
				n := notifier.Notice{Draft: d, Recipients: users}
				r.accept(b, &n)
				r.deliverTo(b, n, seqs)
			}
			f := r.behind(nil)
			b.Run("write", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					r.touch(b, seqs)
					b.StartTimer()
					if err := f.Flush(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(users*float64(b.N)/b.Elapsed().Seconds(), "users/s")
			})
			b.Run("restore", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					if err := rdb.FlushDB(b.Context()).Err(); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					if _, err := r.inbox.Badges(b.Context(), seqs); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(users*float64(b.N)/b.Elapsed().Seconds(), "users/s")
			})
		})
	}
}

// touch gives each inbox a newer version and marks it as changed.
func (r *rig) touch(b *testing.B, seqs []int64) {
	b.Helper()
	_, err := r.rdb.Pipelined(b.Context(), func(pipe redis.Pipeliner) error {
		badges, err := r.inbox.Badges(b.Context(), seqs)
		for i, seq := range seqs {
			ver := badges[i].Ver + 1
			pipe.HSet(b.Context(), r.keys.State(seq), "ver", ver)
			pipe.ZAdd(b.Context(), r.keys.Dirty(keys.Partition(seq)), redis.Z{Score: float64(ver), Member: strconv.FormatInt(seq, 10)})
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

package notices_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/store"
)

// benchRig returns running Notices with their own database and Redis, and 5,000 users.
func benchRig(b *testing.B, sql string) (*rig, *notices.Notices) {
	b.Helper()
	c := store.Config{DataDir: b.TempDir()}
	if sql == "postgres" {
		c.URL = sqltest.URL(b)
	}
	s, err := store.Open(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	rdb := redistest.Own(b).Client(b)
	r := &rig{store: s, rdb: rdb, keys: keys.New("bench:")}
	r.inbox = inbox.New(rdb, r.keys, inbox.Options{SQL: s})
	r.users(b, "all", 5000)
	p := notices.New(notices.Config{
		Store: s, Redis: rdb, Keys: r.keys, Inbox: r.inbox, Router: route.New(s, nil), Log: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
		_ = s.Close()
	})
	return r, p
}

// drained waits until this many more notices are delivered.
func drained(b *testing.B, p *notices.Notices, before delivery.Stats, n int64) {
	b.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for p.Stats().Done < before.Done+n {
		<-tick.C
	}
}

// BenchmarkSend sends notices to one user each, until they are in the inboxes and marked as sent in
// SQL.
func BenchmarkSend(b *testing.B) {
	for _, sql := range []string{"sqlite", "postgres"} {
		for _, size := range []int{1, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", sql, size), func(b *testing.B) {
				_, p := benchRig(b, sql)
				before := p.Stats()
				var next, sent atomic.Int64
				b.SetParallelism(max(64/size, 2))
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						batch := make([]notifier.Request, size)
						for i := range batch {
							batch[i].Draft = toUsers(fmt.Sprint("u", 1+next.Add(1)%5000))
						}
						for _, res := range p.SendAll(b.Context(), notifier.Actor{}, batch) {
							if res.Err != nil {
								b.Error(res.Err)
							}
							sent.Add(1)
						}
					}
				})
				b.ReportMetric(float64(sent.Load())/b.Elapsed().Seconds(), "accepted/s")
				drained(b, p, before, sent.Load())
				b.ReportMetric(float64(sent.Load())/b.Elapsed().Seconds(), "delivered/s")
			})
		}
	}
}

// BenchmarkSendToMany sends to a role with 5,000 members.
func BenchmarkSendToMany(b *testing.B) {
	r, p := benchRig(b, "sqlite")
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for b.Loop() {
		n, err := sendOnce(b, p, toRole("all"), nil)
		if err != nil {
			b.Fatal(err)
		}
		for n.State != notifier.StateSent {
			<-tick.C
			if n, err = r.store.Notice(b.Context(), n.ID); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(5000*float64(b.N)/b.Elapsed().Seconds(), "recipients/s")
}

package topic_test

import (
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// BenchmarkSubscribersOf reads the subscribers of one topic, with 10 users and with 100,000.
func BenchmarkSubscribersOf(b *testing.B) {
	for _, users := range []int{10, 100_000} {
		b.Run(itoa(int64(users)), func(b *testing.B) {
			s := newSite(b, redistest.Client(b))
			s.sql.many(stock, users)
			s.sync(b)
			for b.Loop() {
				found, err := s.SubscribersOf(b.Context(), []notifier.Topic{stock})
				if err != nil || len(found[0].Users) != users {
					b.Fatal(len(found[0].Users), err)
				}
			}
			if n := s.sql.asked("subscribers"); n > 0 {
				b.Errorf("SQL was asked %d times", n)
			}
		})
	}
}

// BenchmarkSubscribe writes changes through to a set of 100,000 members.
func BenchmarkSubscribe(b *testing.B) {
	s := newSite(b, redistest.Client(b))
	s.sql.many(stock, 100_000)
	s.sync(b)
	for b.Loop() {
		s.subscribe(b, stock, "role:picker")
		s.unsubscribe(b, stock, "role:picker")
	}
	if s.Behind() {
		b.Error("a change was not written through")
	}
}

// BenchmarkSync compares 1,000,000 subscriptions to 10,000 topics that do not differ, and builds them from scratch.
func BenchmarkSync(b *testing.B) {
	for _, empty := range []bool{false, true} {
		name := "same"
		if empty {
			name = "empty"
		}
		b.Run(name, func(b *testing.B) {
			server := redistest.Own(b)
			s := newSite(b, server.Client(b))
			for i := range 10_000 {
				s.sql.many(notifier.Topic{Type: "stock", Scope: itoa(int64(i))}, 100)
			}
			s.sync(b)
			for b.Loop() {
				if empty {
					b.StopTimer()
					if err := s.rdb.FlushAll(b.Context()).Err(); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				s.sync(b)
			}
		})
	}
}

package soak

import (
	"math/rand/v2"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
)

// databases runs a test on each kind of SQL database.
func databases(t *testing.T, test func(t *testing.T, sqlURL string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, "") })
	t.Run("postgres", func(t *testing.T) { test(t, sqltest.URL(t)) })
}

// plain describes a site with its own Redis and a SQL database.
func plain(server *redistest.Server, sqlURL string) how {
	return how{redisURL: "unix://" + server.Socket, redis: redis.NewClient(&redis.Options{Addr: server.Socket}), sqlURL: sqlURL}
}

func TestKillingInstancesLosesAndRepeatsNothing(t *testing.T) {
	databases(t, func(t *testing.T, sqlURL string) {
		s := newSite(t, plain(redistest.Own(t), sqlURL))
		watchers := s.watch()
		senders, reads := s.send(), s.read()
		for range *kills {
			s.wait(t, 1+rand.IntN(40))
			slot := rand.IntN(len(s.slots))
			s.slots[slot].Load().kill()
			s.wait(t, rand.IntN(20)) // the other instance is alone for a while
			s.start(slot)
		}
		s.wait(t, 20)
		senders.stop()
		reads.stop()
		s.holds(t, watchers...)
	})
}

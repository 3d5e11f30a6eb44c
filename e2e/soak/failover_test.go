package soak

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
)

func TestPromotingALaggingReplicaLosesNothing(t *testing.T) {
	t.Run("sentinel", func(t *testing.T) {
		t.Parallel()
		pair := redistest.Sentinel(t)
		failOver(t, pair, how{
			redisURL: "redis+sentinel://" + strings.Join(pair.Addrs, ",") + "/" + redistest.SentinelMaster,
			redis:    redis.NewFailoverClient(&redis.FailoverOptions{SentinelAddrs: pair.Addrs, MasterName: redistest.SentinelMaster}),
		})
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		pair := redistest.OwnCluster(t)
		failOver(t, pair, how{
			redisURL: "redis+cluster://" + strings.Join(pair.Addrs, ","),
			redis:    redis.NewClusterClient(&redis.ClusterOptions{Addrs: pair.Addrs, ClusterStateReloadInterval: time.Second}),
		})
	})
}

func failOver(t *testing.T, pair *redistest.Pair, h how) {
	s := newSite(t, h)
	watchers := s.watch()
	senders, reads := s.send(), s.read()
	s.wait(t, 10)
	reads.stop()
	s.settled(t)
	pair.Master.Detach(t)
	reads = s.read()
	s.wait(t, 20)
	reads.stop()
	before := s.settled(t)
	pair.FailOver(t)
	s.wait(t, 10)
	senders.stop()
	s.holds(t, watchers...)
	s.stayed(t, before)
}

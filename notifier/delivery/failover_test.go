package delivery_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/delivery"
)

// After a failover the intake continues by itself, behind Sentinel and on a cluster. Entries that
// reached the new master are handled, some of them twice; the relay restores the rest.
func TestIntakeContinuesAfterFailover(t *testing.T) {
	t.Parallel()
	t.Run("sentinel", func(t *testing.T) {
		t.Parallel()
		p := redistest.Sentinel(t)
		goesOn(t, p, redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: redistest.SentinelMaster, SentinelAddrs: p.Addrs, DisableIdentity: true,
		}))
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		p := redistest.OwnCluster(t)
		goesOn(t, p, redis.NewClusterClient(&redis.ClusterOptions{
			Addrs: p.Addrs, ClusterStateReloadInterval: time.Second, DisableIdentity: true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		}))
	})
}

func goesOn(t *testing.T, p *redistest.Pair, rdb redis.UniversalClient) {
	t.Helper()
	t.Cleanup(func() { _ = rdb.Close() })
	var done log
	free := make(chan struct{})
	var once sync.Once
	began := make(chan struct{})
	s := newSite(t, rdb)
	if cluster, ok := rdb.(*redis.ClusterClient); ok { // the failover is of the first of three masters
		for cluster.ClusterKeySlot(t.Context(), s.k.Intake()).Val() >= 16384/3 {
			s = newSite(t, rdb)
		}
	}
	q := s.intake(handler{
		ranging: func(ctx context.Context, _ delivery.Entry) ([]delivery.Entry, error) {
			once.Do(func() { close(began) })
			select {
			case <-free:
			case <-ctx.Done():
			}
			return []delivery.Entry{small(2)}, nil
		},
		deliver: func(_ context.Context, entries []delivery.Entry) []error {
			done.add(entries...)
			return nil
		},
	})
	start(t, q)
	s.put(t, delivery.Entry{Kind: delivery.Deliver, NoticeID: 1})
	<-began
	if err := rdb.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	p.FailOver(t)
	close(free)
	put := false
	testkit.Eventually(t, "an entry added after the failover is done", func() bool {
		put = put || q.Put(t.Context(), small(3)) == nil
		return put && done.times()[3] > 0
	})
}

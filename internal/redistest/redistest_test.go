package redistest_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Wrap(m)) }

func TestSpacesDoNotShareKeys(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := redistest.Client(t)
	a, b := redistest.Space(t), redistest.Space(t)
	if a == b {
		t.Fatal("two spaces of one test are the same")
	}
	if err := c.Set(ctx, a.List(1), "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if n := c.Exists(ctx, b.List(1)).Val(); n != 0 {
		t.Errorf("the other space sees %d keys, want 0", n)
	}
}

func TestTheClusterAcceptsKeysOfAllPartitions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, s := redistest.Cluster(t), redistest.Space(t)
	for seq := range int64(64) {
		if err := c.Set(ctx, s.List(seq), seq, 0).Err(); err != nil {
			t.Fatalf("set a key of partition %d: %v", seq, err)
		}
		if got := c.Get(ctx, s.List(seq)).Val(); got == "" {
			t.Errorf("partition %d has lost its key", seq)
		}
	}
}

func TestACrashedServerRestartsEmpty(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := redistest.Own(t)
	c := s.Client(t)
	if err := c.Set(ctx, "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	s.Crash(t)
	if err := c.Ping(ctx).Err(); err == nil {
		t.Error("a crashed server answers")
	}
	s.Restart(t)
	if n, err := c.DBSize(ctx).Result(); err != nil || n != 0 {
		t.Errorf("after the restart: %d keys, error %v; want 0 and none", n, err)
	}
}

func TestMiniredisAnswers(t *testing.T) {
	t.Parallel()
	m, c := redistest.Mini(t)
	if err := c.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if got, err := m.Get("k"); err != nil || got != "v" {
		t.Errorf("miniredis holds %q, error %v; want v", got, err)
	}
}

func TestAServerRestartsWithASavedFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := redistest.Own(t)
	c := s.Client(t)
	c.Set(ctx, "k", "old", 0)
	file := s.Save(t)
	c.Set(ctx, "k", "new", 0)
	s.Crash(t)
	s.RestartFrom(t, file)
	if got := c.Get(ctx, "k").Val(); got != "old" {
		t.Errorf("k is %q, want old", got)
	}
	s.Crash(t)
	s.Restart(t)
	if n := c.DBSize(ctx).Val(); n != 0 {
		t.Errorf("%d keys are left, want none", n)
	}
}

func TestALaggingReplicaBecomesTheMaster(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string]func(testing.TB) *redistest.Pair{"sentinel": redistest.Sentinel, "cluster": redistest.OwnCluster} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			p := pair(t)
			var c redis.UniversalClient
			if name == "cluster" {
				c = redis.NewClusterClient(&redis.ClusterOptions{Addrs: p.Addrs, ClusterStateReloadInterval: time.Second})
			} else {
				c = redis.NewFailoverClient(&redis.FailoverOptions{MasterName: redistest.SentinelMaster, SentinelAddrs: p.Addrs})
			}
			defer func() { _ = c.Close() }()
			k := ownKey(t, p.Master.Client(t))
			if err := c.Set(ctx, k, "old", 0).Err(); err != nil {
				t.Fatal(err)
			}
			if n, err := p.Master.Client(t).Wait(ctx, 1, testkit.Patience).Result(); err != nil || n != 1 {
				t.Fatalf("%d replicas have it, %v", n, err)
			}
			p.Master.Detach(t)
			if err := c.Set(ctx, k, "new", 0).Err(); err != nil {
				t.Fatal(err)
			}
			p.FailOver(t)
			testkit.Until(t, "the key is old after the failover", func() (string, bool) {
				got, err := c.Get(ctx, k).Result()
				return fmt.Sprint(got, err), err == nil && got == "old"
			})
		})
	}
}

// ownKey returns a key in the slots of this server.
func ownKey(t *testing.T, c *redis.Client) string {
	t.Helper()
	for i := range 1000 {
		if k := "k" + strconv.Itoa(i); errors.Is(c.Get(t.Context(), k).Err(), redis.Nil) {
			return k
		}
	}
	t.Fatal("the server accepts no key")
	return ""
}

package redistest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Wrap(m)) }

func TestTheServerAnswersAndSpacesAreApart(t *testing.T) {
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

func TestTheClusterTakesKeysOfAllPartitions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, s := redistest.Cluster(t), redistest.Space(t)
	for seq := range int64(64) {
		if err := c.Set(ctx, s.List(seq), seq, 0).Err(); err != nil {
			t.Fatalf("set a key of partition %d: %v", seq, err)
		}
		if got := c.Get(ctx, s.List(seq)).Val(); got == "" {
			t.Errorf("partition %d lost its key", seq)
		}
	}
}

func TestAServerOfOnesOwnStartsAgainEmpty(t *testing.T) {
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

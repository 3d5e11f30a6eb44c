package doctor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier/keys"
)

func TestMain(m *testing.M) { redistest.Main(m) }

func TestSlotsAreThoseOfRedis(t *testing.T) {
	t.Parallel()
	rdb, space := redistest.Cluster(t), keys.New("carillon:")
	for p := range keys.Partitions {
		key := space.Dirty(p)
		if want, err := rdb.ClusterKeySlot(t.Context(), key).Result(); err != nil || int64(slotOf(key)) != want {
			t.Fatalf("%s: slot %d, want %d, %v", key, slotOf(key), want, err)
		}
	}
}

func TestTheSharesOfMastersAreExamined(t *testing.T) {
	t.Parallel()
	var found []string
	e := &examination{report: func(f Finding) error { found = append(found, f.String()); return nil }}
	if err := e.spread(t.Context(), "carillon:", redistest.Cluster(t)); err != nil { // three masters with a third of the slots each
		t.Fatal(err)
	}
	e.shares(keys.New("carillon:"), equalRanges(12))
	three := equalRanges(3)
	want := []string{
		fmt.Sprintf("ok    redis slots  3 masters serve %d to %d of the 64 partitions each", slices.Min(three), slices.Max(three)),
		"note  redis slots  12 masters serve 3 to 8 of the 64 partitions each",
	}
	if len(found) != 2 || found[0] != want[0] || !strings.HasPrefix(found[1], want[1]) || !strings.Contains(found[1], "slot ranges 0-") {
		t.Errorf("found %q, want %q", found, want)
	}
}

// equalRanges returns the numbers of partitions of masters with equal numbers of slots.
func equalRanges(masters int) []int {
	load := make([]int, masters)
	for p := range keys.Partitions {
		load[slotOf(keys.New("carillon:").Dirty(p))*masters/clusterSlots]++
	}
	return load
}

func TestFairRangesCoverAllSlotsAndShareThePartitions(t *testing.T) {
	t.Parallel()
	space := keys.New("carillon:")
	for masters := 1; masters <= keys.Partitions+1; masters++ {
		next, least, most := 0, keys.Partitions, 0
		for _, text := range fairRanges(space, masters) {
			var from, to int
			if _, err := fmt.Sscanf(text, "%d-%d", &from, &to); err != nil || from != next || to < from {
				t.Fatalf("%d masters: %s follows %d, %v", masters, text, next-1, err)
			}
			n := 0
			for p := range keys.Partitions {
				if s := slotOf(space.Dirty(p)); s >= from && s <= to {
					n++
				}
			}
			next, least, most = to+1, min(least, n), max(most, n)
		}
		if next != clusterSlots || most-least > 1 {
			t.Errorf("%d masters: the ranges end at %d, and have %d to %d partitions", masters, next-1, least, most)
		}
	}
}

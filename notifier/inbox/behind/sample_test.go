package behind_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/keys"
)

// village has one user in each partition.
type village struct{ *inboxes }

func (village) Sample(_ context.Context, partition, _ int) ([]int64, error) {
	return []int64{int64(partition) + keys.Partitions}, nil
}

func TestAFewUsersAreAllChecked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := village{newInboxes()}
		stop := run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: newDatabase(), Log: quiet()}))
		pass(9 * time.Second)
		stop()
		slices.Sort(b.checked)
		if !slices.Equal(b.checked, between(keys.Partitions, 2*keys.Partitions-1)) {
			t.Errorf("checked %v", b.checked)
		}
	})
}

func TestWithManyUsersEveryPartitionIsSampled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newInboxes()
		stop := run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: newDatabase(), Log: quiet()}))
		pass(79 * time.Second)
		stop()
		parts := map[int]bool{}
		for _, seq := range b.checked {
			parts[keys.Partition(seq)] = true
		}
		if len(parts) != keys.Partitions {
			t.Errorf("%d partitions were sampled", len(parts))
		}
	})
}

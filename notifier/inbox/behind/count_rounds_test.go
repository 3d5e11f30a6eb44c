package behind_test

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/keys"
)

// rounds counts how often the marks of each partition were requested: once per round.
type rounds struct {
	*inboxes
	of  [keys.Partitions]atomic.Int64
	got atomic.Int64 // a notice to add to every inbox; 0: none
}

func (r *rounds) Dirty(ctx context.Context, partition, limit int) ([]notifier.Dirty, error) {
	r.of[partition].Add(1)
	return r.inboxes.Dirty(ctx, partition, limit)
}

func (r *rounds) Read(ctx context.Context, seqs []int64) ([]notifier.Snapshot, error) {
	all, err := r.inboxes.Read(ctx, seqs)
	for i := range all {
		all[i].Rows = []notifier.SnapshotRow{{Field: "a:has_read:0", NoticeID: r.got.Load(), At: all[i].Ver}}
	}
	return all, err
}

// heard receives the counts as they are saved to SQL.
type heard struct {
	*database
	counts chan []notifier.NoticeCount
}

func (h heard) SaveCounts(ctx context.Context, all []notifier.NoticeCount) error {
	h.counts <- all
	return h.database.SaveCounts(ctx, all)
}

func TestCountsOfAllPartitionsReachSQLInOneRound(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	for p := range keys.Partitions {
		if err := rdb.HSet(t.Context(), k.Counts(p), "7:d", p+1).Err(); err != nil {
			t.Fatal(err)
		}
	}
	b, d := &rounds{inboxes: newInboxes()}, heard{newDatabase(), make(chan []notifier.NoticeCount)}
	stop := run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Redis: rdb, Keys: k, Every: 50 * time.Millisecond}))
	seen := map[int]bool{}
	for len(seen) < keys.Partitions {
		for _, c := range <-d.counts {
			// Saving blocks until the count is received, so its group is still in the same round.
			if n := b.of[c.Partition].Load(); n != 1 || c.Delivered != int64(c.Partition)+1 {
				t.Errorf("%+v was saved in round %d", c, n)
			}
			seen[c.Partition] = true
		}
	}
	stop()
}

func TestNewDeliveriesReachSQLQuicklyDuringALongWalk(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	const notices = 20_000
	pipe := rdb.Pipeline()
	for id := range notices {
		pipe.HSet(t.Context(), k.Counts(7), strconv.Itoa(id+1)+":d", 1)
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, d := &rounds{inboxes: newInboxes()}, heard{newDatabase(), make(chan []notifier.NoticeCount)}
	stop := run(t, behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Redis: rdb, Keys: k, Every: 10 * time.Millisecond}))
	drain := func(until func(notifier.NoticeCount) bool) {
		for {
			for _, c := range <-d.counts {
				if until(c) {
					return
				}
			}
		}
	}
	for id := int64(notices + 1); id <= notices+5; id++ {
		if err := rdb.HSet(t.Context(), k.Counts(7), fmt.Sprint(id, ":d"), 1).Err(); err != nil {
			t.Fatal(err)
		}
		b.got.Store(id)
		before := b.of[7].Load()
		b.change(7)
		drain(func(c notifier.NoticeCount) bool { return c.NoticeID == id })
		if n := b.of[7].Load() - before; n > 3 {
			t.Errorf("notice %d was counted after %d rounds", id, n)
		}
	}
	go func() {
		for range d.counts { // until Run has returned
			continue
		}
	}()
	stop()
	close(d.counts)
}

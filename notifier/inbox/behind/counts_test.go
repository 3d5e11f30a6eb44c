package behind_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
)

func TestCountsAreSavedOnceUntilTheyChange(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	const notices = 3000
	for _, p := range []int{0, 7, 8, 63} {
		pipe := rdb.Pipeline()
		for id := range notices {
			pipe.HSet(t.Context(), k.Counts(p), strconv.Itoa(id+1)+":d", id+2, strconv.Itoa(id+1)+":r", id+1)
		}
		if _, err := pipe.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	d := newDatabase()
	f := behind.NewFlusher(behind.FlusherConfig{Inbox: newInboxes(), Store: d, Redis: rdb, Keys: k})
	flush := func() {
		t.Helper()
		if err := f.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	flush()
	// The two fields of a notice may be on different pages: a saved count is never lowered.
	highest := map[[2]int64]notifier.NoticeCount{}
	for c := range d.counts {
		at := [2]int64{c.NoticeID, int64(c.Partition)}
		h := highest[at]
		highest[at] = notifier.NoticeCount{Delivered: max(c.Delivered, h.Delivered), Read: max(c.Read, h.Read)}
	}
	if len(highest) != 4*notices {
		t.Errorf("%d counts, want %d", len(highest), 4*notices)
	}
	for at, c := range highest {
		if c.Delivered != at[0]+1 || c.Read != at[0] {
			t.Fatalf("notice %d in partition %d: %+v", at[0], at[1], c)
		}
	}
	first := d.calls
	flush()
	if d.calls != first {
		t.Errorf("%d writes although nothing changed", d.calls-first)
	}
	if err := rdb.HIncrBy(t.Context(), k.Counts(8), "17:r", 1).Err(); err != nil {
		t.Fatal(err)
	}
	clear(d.counts)
	flush()
	found := false
	for c := range d.counts {
		found = found || c.NoticeID == 17 && c.Partition == 8 && c.Read == 18
	}
	if !found || d.calls != first+1 {
		t.Errorf("%d writes after one change; the change was saved: %t", d.calls-first, found)
	}
}

func TestMalformedCountsAreIgnored(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	odd := []any{"", "1", "x:d", "1", "5", "1", "6:x", "1", "7:d", "x", "-8:d", "1", "9:r", "-1", "10:d", "3"}
	if err := rdb.HSet(t.Context(), k.Counts(3), odd...).Err(); err != nil {
		t.Fatal(err)
	}
	d := newDatabase()
	if err := behind.NewFlusher(behind.FlusherConfig{Inbox: newInboxes(), Store: d, Redis: rdb, Keys: k}).Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(d.counts) != 1 || d.counts[notifier.NoticeCount{NoticeID: 10, Partition: 3, Delivered: 3}] != 1 {
		t.Errorf("saved %v", d.counts)
	}
}

func TestInboxesAreWrittenEvenIfCountsFail(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	if err := rdb.Set(t.Context(), k.Counts(3), "broken", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.HSet(t.Context(), k.Counts(4), "1:d", 1).Err(); err != nil {
		t.Fatal(err)
	}
	b, d := newInboxes(), newDatabase()
	b.change(between(1, 64)...)
	err := behind.NewFlusher(behind.FlusherConfig{Inbox: b, Store: d, Redis: rdb, Keys: k}).Flush(t.Context())
	if err == nil || errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("Flush: %v", err)
	}
	settled(t, b, d)
	if len(d.counts) != 1 {
		t.Errorf("saved %v", d.counts)
	}
}

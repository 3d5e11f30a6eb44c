package store_test

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// row returns a row of an inbox as stored by deliveries.
func row(i int) notifier.SnapshotRow {
	ending := notifier.UnreadSuffix
	if i%3 == 0 {
		ending = notifier.ReadSuffix
	}
	at := int64(1_790_000_000_000 - i*60_000)
	return notifier.SnapshotRow{
		Field: "like:photo_id:" + strconv.Itoa(i) + ":user_id:7" + ending, NoticeID: int64(5_000 - i), At: at, Expires: at + 15_552_000_000,
	}
}

func rows(n int) (all []notifier.SnapshotRow) {
	for i := range n {
		all = append(all, row(i))
	}
	return all
}

// goneBy returns notices that left an inbox; every 7th of them was retracted.
func goneBy(n int) (all []notifier.GoneNotice) {
	for i := range n {
		g := notifier.GoneNotice{NoticeID: int64(900 + i*3), Score: float64(1_790_000_000_000 + i*1_000)}
		if i%7 == 0 {
			g.Score += 0.5
		}
		g.Score += []float64{0, 0.125, 0.25}[i%3]
		all = append(all, g)
	}
	return all
}

// comesBack checks that rows and gone are the same after encoding and decoding.
func comesBack(t *testing.T, rows []notifier.SnapshotRow, gone []notifier.GoneNotice) {
	t.Helper()
	gotRows, err := store.DecodeRows(store.EncodeRows(rows))
	if diff := cmp.Diff(rows, gotRows, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("decoded rows, %v (-want +got):\n%s", err, diff)
	}
	gotGone, err := store.DecodeGone(store.EncodeGone(gone))
	same := slices.EqualFunc(gone, gotGone, func(a, b notifier.GoneNotice) bool {
		return a.NoticeID == b.NoticeID && math.Float64bits(a.Score) == math.Float64bits(b.Score)
	})
	if err != nil || !same {
		t.Errorf("decoded gone, %v: %v; want %v", err, gotGone, gone)
	}
}

func TestInboxesSurviveEncoding(t *testing.T) {
	t.Parallel()
	comesBack(t, nil, nil)
	comesBack(t, rows(200), goneBy(500))
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	comesBack(t, []notifier.SnapshotRow{
		{Field: "", NoticeID: high, At: low, Expires: high},
		{Field: notifier.UnreadSuffix, NoticeID: low, At: high, Expires: low},
		{Field: "without a state", NoticeID: high, At: low},
		{Field: "a:has_read:2", Expires: -1},
		{Field: "twice:has_read:1:has_read:0"},
		{Field: "\x00\xff'\n:has_read:1"},
		{Field: strings.Repeat("x", 10_000) + notifier.ReadSuffix},
	}, []notifier.GoneNotice{
		{NoticeID: high, Score: math.Inf(1)},
		{NoticeID: low, Score: -0.5},
		{Score: math.Copysign(0, -1)},
		{NoticeID: -1, Score: math.NaN()},
		{NoticeID: 1, Score: math.MaxFloat64},
		{NoticeID: 2, Score: 1_790_000_000_000.5},
	})
}

func TestEncodedInboxIsSmall(t *testing.T) {
	t.Parallel()
	if n := len(store.EncodeRows(rows(30))); n > 30*40 {
		t.Errorf("30 rows take %d bytes", n)
	}
	if n := len(store.EncodeGone(goneBy(500))); n > 500*6 {
		t.Errorf("500 gone notices take %d bytes", n)
	}
}

func TestInvalidEncodingOfInboxesIsRejected(t *testing.T) {
	t.Parallel()
	refused := func(what string, b []byte) {
		if got, err := store.DecodeRows(b); err == nil {
			t.Errorf("%s is decoded as rows: %+v", what, got)
		}
		if got, err := store.DecodeGone(b); err == nil {
			t.Errorf("%s is decoded as gone: %+v", what, got)
		}
	}
	refused("nothing", nil)
	refused("no number", []byte{1})
	refused("an older version", []byte{0, 0})
	refused("a later version", []byte{2, 0})
	refused("more than there is", []byte{1, 5, 0, 0, 0, 0})
	refused("far more than there is", append([]byte{1}, bytes.Repeat([]byte{0xff}, 8)...))
	refused("a number without an end", append([]byte{1}, bytes.Repeat([]byte{0xff}, 30)...))
	if _, err := store.DecodeRows([]byte{1, 1, 3, 0, 0, 0}); err == nil {
		t.Error("an invalid state was decoded")
	}
	whole := store.EncodeRows(rows(3))
	for n := range whole {
		if got, err := store.DecodeRows(whole[:n]); err == nil {
			t.Errorf("%d bytes of %d are decoded as %+v", n, len(whole), got)
		}
	}
	refused("a byte too many", append(whole, 0))
	whole = store.EncodeGone(goneBy(3))
	for n := range whole {
		if got, err := store.DecodeGone(whole[:n]); err == nil {
			t.Errorf("%d bytes of %d are decoded as %+v", n, len(whole), got)
		}
	}
	refused("a byte too many", append(whole, 0))
}

// TestArchiveThatWasCutOffIsRefused: a snapshot with part of an archive is damaged.
func TestArchiveThatWasCutOffIsRefused(t *testing.T) {
	whole := store.EncodeArchived(archivedRows(3))
	if got, err := store.DecodeArchived(whole); err != nil || !slices.Equal(got, archivedRows(3)) {
		t.Errorf("decoded %+v, %v", got, err)
	}
	for n := 1; n < len(whole); n++ {
		if got, err := store.DecodeArchived(whole[:n]); err == nil {
			t.Errorf("%d bytes of %d are decoded as %+v", n, len(whole), got)
		}
	}
	if got, err := store.DecodeArchived(append(whole, 0)); err == nil {
		t.Errorf("with a byte too many it is decoded as %+v", got)
	}
}

// FuzzDecodeInbox: any bytes are either rejected or decode to an inbox that is the same after
// encoding.
func FuzzDecodeInbox(f *testing.F) {
	f.Add(store.EncodeRows(rows(3)))
	f.Add(store.EncodeGone(goneBy(3)))
	f.Add([]byte{1, 1, 3, 0, 0, 0})
	f.Add(append([]byte{1}, bytes.Repeat([]byte{0xff}, 30)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, errRows := store.DecodeRows(b)
		gone, errGone := store.DecodeGone(b)
		if errRows != nil {
			rows = nil
		}
		if errGone != nil {
			gone = nil
		}
		if len(rows)+len(gone) > len(b) {
			t.Fatalf("%d bytes became %d rows and %d gone", len(b), len(rows), len(gone))
		}
		comesBack(t, rows, gone)
	})
}

// FuzzEncodeInbox checks that no field and no number is lost by encoding.
func FuzzEncodeInbox(f *testing.F) {
	f.Add("like:x:has_read:0", "like:y:has_read:1", int64(1), int64(1_790_000_000_000), int64(0), 1_790_000_000_000.5)
	f.Add(":has_read:0", "", int64(math.MinInt64), int64(math.MaxInt64), int64(-1), math.NaN())
	f.Fuzz(func(t *testing.T, first, second string, id, at, expires int64, score float64) {
		comesBack(t, []notifier.SnapshotRow{
			{Field: first, NoticeID: id, At: at, Expires: expires}, {Field: second, NoticeID: at, At: expires, Expires: id}, {Field: first},
		}, []notifier.GoneNotice{{NoticeID: id, Score: score}, {NoticeID: at, Score: -score}, {NoticeID: expires, Score: score / 3}})
	})
}

func TestUnreadableSnapshotIsDamagedAndAffectsNoOther(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 4)
		save(t, s, snapshot(1, 5, 3), snapshot(2, 6, 3), snapshot(3, 7, 3))
		store.Exec(t, s, `UPDATE inbox_snapshots SET entries = gone WHERE seq = 2`)
		store.Exec(t, s, `UPDATE inbox_snapshots SET gone = entries WHERE seq = 3`)
		wantSnapshots(t, s, []int64{1, 2, 3, 4}, snapshot(1, 5, 3), notifier.Snapshot{Seq: 2, Ver: 6, Damaged: true},
			notifier.Snapshot{Seq: 3, Ver: 7, Damaged: true}, notifier.Snapshot{Seq: 4})
		save(t, s, snapshot(2, 8, 1))
		wantSnapshots(t, s, []int64{2}, snapshot(2, 8, 1))
	})
}

package store_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// because returns a reason for these users; without users, for all others.
func because(reason string, seqs ...uint32) notifier.Why {
	if len(seqs) == 0 {
		return notifier.Why{Reason: reason}
	}
	return notifier.Why{Reason: reason, To: roaring.BitmapOf(seqs...)}
}

func sameReasons(a, b []notifier.Why) bool {
	return slices.EqualFunc(a, b, func(a, b notifier.Why) bool {
		return a.Reason == b.Reason && (a.To == nil) == (b.To == nil) && (a.To == nil || a.To.Equals(b.To))
	})
}

// reasonsComeBack checks that reasons are the same after encoding and decoding.
func reasonsComeBack(t *testing.T, reasons []notifier.Why) {
	t.Helper()
	b, err := store.EncodeReasons(reasons)
	if err != nil {
		t.Fatal(err)
	}
	got, err := store.DecodeReasons(b)
	if err != nil || !sameReasons(reasons, got) {
		t.Errorf("%v became, %v, %v", reasons, err, got)
	}
}

func TestReasonsSurviveEncoding(t *testing.T) {
	t.Parallel()
	all := roaring.New()
	all.AddRange(1, 100_001)
	for _, reasons := range [][]notifier.Why{
		nil,
		{because("role:picker")},
		{because("role:picker", 1, 70_000, 1<<32-1), because("topic:stock:119240", 2), because("role:" + strings.Repeat("名", 66))},
		{because("", 7), {Reason: "nobody", To: roaring.New()}, {Reason: "crowd", To: all}, because("\x00\xff")},
	} {
		reasonsComeBack(t, reasons)
	}
	if b, err := store.EncodeReasons(nil); b != nil || err != nil {
		t.Errorf("no reasons are encoded as %v, %v; want nil", b, err)
	}
	if b, err := store.EncodeReasons([]notifier.Why{{Reason: "crowd", To: all}}); len(b) > 60 || err != nil {
		t.Errorf("one reason for many users takes %d bytes, %v", len(b), err)
	}
}

func TestInvalidEncodingOfReasonsIsRejected(t *testing.T) {
	t.Parallel()
	whole, err := store.EncodeReasons([]notifier.Why{because("role:a", 1, 2, 3), because("role:b")})
	if err != nil {
		t.Fatal(err)
	}
	padded := bytes.Replace(whole, []byte{3, 0}, []byte{3, 0, 0}, 1) // an extra byte after the set, within its length
	padded[bytes.Index(padded, []byte("role:a"))+len("role:a")]++
	damaged := bytes.Replace(whole, []byte{1, 0, 2, 0, 3, 0}, []byte{3, 0, 2, 0, 1, 0}, 1) // users in the wrong order
	if bytes.Equal(damaged, whole) {
		t.Fatal("the encoding of sets has changed: adapt the damage")
	}
	for what, b := range map[string][]byte{
		"no number": {1}, "none": {1, 0}, "an older version": {0, 1, 0, 0}, "a later version": {2, 1, 0, 0}, "more than there is": {1, 5, 0, 0},
		"a truncated text": {1, 1, 200, 1, 'x'}, "a set without an end": {1, 1, 1, 'x', 200, 1, 0}, "no set": {1, 1, 1, 'x', 5, 9, 9, 9, 9},
		"an extra byte": append(slices.Clone(whole), 0), "a damaged set": damaged, "a set with a byte too many": padded,
	} {
		if got, err := store.DecodeReasons(b); err == nil {
			t.Errorf("%s is decoded as %v", what, got)
		}
	}
	for n := 1; n < len(whole); n++ {
		if got, err := store.DecodeReasons(whole[:n]); err == nil {
			t.Errorf("%d bytes of %d are decoded as %v", n, len(whole), got)
		}
	}
}

// FuzzDecodeReasons: any bytes are either rejected or decode to reasons that are the same after
// encoding.
func FuzzDecodeReasons(f *testing.F) {
	for _, reasons := range [][]notifier.Why{nil, {because("role:a")}, {because("role:a", 1, 2), because("topic:b:", 70_000)}} {
		b, err := store.EncodeReasons(reasons)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(append([]byte{1}, bytes.Repeat([]byte{0xff}, 30)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if reasons, err := store.DecodeReasons(b); err == nil {
			reasonsComeBack(t, reasons)
		}
	})
}

func TestReasonsAreStoredWithTheNotice(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		reasons := []notifier.Why{because("role:picker", 2, 3), because("role:packer", 4)}
		d := draft()
		d.Target = notifier.Target{Topic: topic("stock", "119240")}
		with, without := notifier.Notice{Draft: d, Reasons: reasons}, notifier.Notice{Draft: d}
		once := &notifier.Once{Owner: notifier.KeyRef("o"), Key: "k", Digest: []byte{1}}
		keyed := notifier.Notice{Draft: d, Reasons: reasons}
		acceptAll(t, s,
			&notifier.Acceptance{Notice: &with, To: roaring.BitmapOf(1, 2, 3, 4)}, &notifier.Acceptance{Notice: &without, To: roaring.BitmapOf(1)},
			&notifier.Acceptance{Notice: &keyed, To: roaring.BitmapOf(1, 2), Once: once})
		if !sameReasons(with.Reasons, []notifier.Why{because("role:picker", 2, 3), because("role:packer", 4)}) {
			t.Errorf("the caller's reasons are now %v", with.Reasons)
		}
		reads := map[string]func(id int64) notifier.Notice{
			"one":          func(id int64) notifier.Notice { return must(s.Notice(t.Context(), id))(t) },
			"contents":     func(id int64) notifier.Notice { return must(s.Contents(t.Context(), []int64{id}))(t)[id] },
			"for delivery": func(id int64) notifier.Notice { return *must(s.Accepted(t.Context(), []int64{id}))(t)[0].Notice },
		}
		for how, read := range reads {
			for _, n := range []notifier.Notice{with, keyed} {
				if got := read(n.ID); !sameReasons(got.Reasons, reasons) || got.ReasonFor(3) != "role:picker" || got.ReasonFor(1) != "topic:stock:119240" {
					t.Errorf("%s: %v", how, got.Reasons)
				}
			}
			if got := read(without.ID); got.Reasons != nil {
				t.Errorf("%s: for a notice without reasons: %v", how, got.Reasons)
			}
		}
		edited := with
		if err := s.EditNotice(t.Context(), notifier.Actor{}, &edited); err != nil || !sameReasons(edited.Reasons, reasons) {
			t.Errorf("after an edit: %v, %v", edited.Reasons, err)
		}
		store.Exec(t, s, `UPDATE notices SET reasons = recipients WHERE id = 1`)
		for how, read := range reads {
			if got := read(with.ID); got.Reasons != nil || got.ReasonFor(3) != "topic:stock:119240" {
				t.Errorf("%s: for unreadable reasons: %v; want those of the target", how, got.Reasons)
			}
		}
	})
}

func TestDeletedUserIsRemovedFromReasons(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		addUser(t, s, "alice")
		n := notifier.Notice{Draft: draft(), Reasons: []notifier.Why{because("role:a", 1), because("role:b", 1, 2), because("role:c")}}
		acceptAll(t, s, &notifier.Acceptance{Notice: &n, To: roaring.BitmapOf(1, 2)})
		if _, err := s.DeleteUser(t.Context(), bob.Name); err != nil {
			t.Fatal(err)
		}
		want := []notifier.Why{{Reason: "role:a", To: roaring.New()}, because("role:b", 2), because("role:c")}
		if got := must(s.Notice(t.Context(), n.ID))(t); !sameReasons(got.Reasons, want) {
			t.Errorf("the reasons are %v; want %v", got.Reasons, want)
		}
	})
}

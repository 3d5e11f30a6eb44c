package store_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestReadByReturnsOnlyTheReadersOwnBit(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		a, b := announce(t, s, db.announcement("a", 0, 1, 1, 2)), announce(t, s, db.announcement("b", 0, 1, 1))
		whole := string(bytes.Repeat([]byte{0}, notifier.SegmentBytes-1)) + "\x01" // only its last bit is set
		// In audience 1, users 9, 16, 32767 and 32770 have read a.
		saveReads(t, s, segment(a.ID, 1, 0, 3, "\x80\x40\x80"), segment(a.ID, 1, 1, 3, "\x20"), segment(b.ID, 1, 0, 3, whole), segment(a.ID, 2, 0, 3, "\xff\xff"))
		for seq, want := range map[int64]map[int64]bool{
			9: {a.ID: true, b.ID: false}, 8: {a.ID: false, b.ID: false}, 10: {a.ID: false, b.ID: false}, 16: {a.ID: true, b.ID: false},
			24: {a.ID: false, b.ID: false}, 32767: {a.ID: false, b.ID: true}, 32768: {a.ID: false}, 32770: {a.ID: true}, 65536: {},
		} {
			got := must(s.ReadBy(t.Context(), notifier.Reader{Seq: seq, Audience: 1}, []int64{a.ID, b.ID, 99}))(t)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("user %d has read (-want +got):\n%s", seq, diff)
			}
		}
		if got := must(s.ReadBy(t.Context(), notifier.Reader{Seq: 9, Audience: 1}, nil))(t); len(got) != 0 {
			t.Errorf("for no ids: %v", got)
		}
	})
}

package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestDeletionLocksOutAtOnceAndReservesTheNameUntilItsEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := addUser(t, s, "alice")
		id := sent{alice.Name, toUsers("alice", "alice2"), []uint32{1}}.accept(t, s)
		d, begun, err := s.BeginDeletion(t.Context(), "alice")
		if err != nil || !begun || d.Seq != alice.Seq || d.Audience != alice.Audience || d.Name != "alice" {
			t.Fatalf("begun %v: %+v, %v", begun, d, err)
		}
		_, err = s.UserByName(t.Context(), "alice")
		wantIs(t, err, notifier.ErrNotFound)
		_, _, err = s.Credentials(t.Context(), "alice")
		wantIs(t, err, notifier.ErrNotFound)
		wantTaken := func(when string) {
			t.Helper()
			if _, err := s.CreateUser(t.Context(), notifier.NewUser{Name: "alice", Audience: 1}); !errors.Is(err, notifier.ErrConflict) {
				t.Errorf("%s: CreateUser reuses the name: %v", when, err)
			}
			if _, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: "alice"}); !errors.Is(err, notifier.ErrConflict) {
				t.Errorf("%s: PutUser reuses the name: %v", when, err)
			}
			_, err := s.ImportUsers(t.Context(), 2, file([]notifier.NewUser{{Name: "zoe", Audience: 1}, {Name: "alice", Audience: 1}}), nil)
			var line *store.ImportError
			if !errors.As(err, &line) || line.Line != 3 || !errors.Is(err, notifier.ErrConflict) || !strings.Contains(err.Error(), "being deleted") {
				t.Errorf("%s: ImportUsers reuses the name: %v", when, err)
			}
		}
		wantTaken("begun")
		again, begun, err := s.BeginDeletion(t.Context(), "alice")
		if diff := cmp.Diff(d.Seq, again.Seq); err != nil || begun || diff != "" {
			t.Errorf("begun again: %v, %+v, %v", begun, again, err)
		}
		if all := must(s.Deletions(t.Context(), 10))(t); len(all) != 1 || all[0].Seq != d.Seq || all[0].Name != "alice" {
			t.Errorf("deletions under way: %+v", all)
		}
		if err := s.Forget(t.Context(), d, nil, nil); err != nil {
			t.Fatal(err)
		}
		wantTaken("forgotten")
		if err := s.EndDeletion(t.Context(), d.Seq); err != nil {
			t.Fatal(err)
		}
		if all := must(s.Deletions(t.Context(), 10))(t); len(all) != 0 {
			t.Errorf("deletions under way: %+v", all)
		}
		_, err = s.Notice(t.Context(), id)
		wantIs(t, err, notifier.ErrNotFound)
		_, _, err = s.BeginDeletion(t.Context(), "alice")
		wantIs(t, err, notifier.ErrNotFound)
		if u := addUser(t, s, "alice"); u.Seq != 2 {
			t.Errorf("the next user with the name has number %d", u.Seq)
		}
		if err := s.Forget(t.Context(), d, nil, nil); err != nil {
			t.Errorf("Forget after the end: %v", err)
		}
	})
}

// crowdSize fills several pages of notices.
const crowdSize = 7000

// addCrowd adds notices of all kinds to five users. It returns what remains of each after the second user is deleted:
// its recipients and the names in its target. A notice without an entry is deleted.
func addCrowd(t *testing.T, s *store.Store, random *rand.Rand) (ids []int64, want map[int64]string) {
	t.Helper()
	names := []string{"u1", "u2", "u3", "u4", "u5"}
	all := make([]*notifier.Acceptance, crowdSize)
	for i := range all {
		var to []uint32
		var named []string
		for seq := uint32(1); seq <= 5; seq++ {
			if random.IntN(5) == 0 || seq == 3 && i%7 != 0 {
				to = append(to, seq)
				named = append(named, names[seq-1])
			}
		}
		n := &notifier.Notice{Draft: notifier.Draft{Target: toUsers(named...), Type: "news", Title: "A title", Sender: notifier.UserRef(notifier.User{Seq: 1 + random.Int64N(5)})}}
		all[i] = &notifier.Acceptance{Notice: n, To: roaring.BitmapOf(to...)}
		if random.IntN(3) == 0 {
			n.Target = notifier.Target{Role: "r"}
		}
	}
	acceptAll(t, s, all...)
	want = map[int64]string{}
	for _, a := range all {
		n, to := a.Notice, a.To.Clone()
		ids = append(ids, n.ID)
		concerned := to.CheckedRemove(2)
		n.Target.Users = slices.DeleteFunc(slices.Clone(n.Target.Users), func(name string) bool { return name == "u2" })
		if concerned && to.IsEmpty() {
			continue
		}
		want[n.ID] = fmt.Sprint(to.ToArray(), n.Target.Users, fromUser(n.Sender, 2))
	}
	return ids, want
}

func TestInterruptedDeletionContinuesAndAffectsNoOtherUser(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		random := rand.New(rand.NewPCG(1, 2))
		s := db.open(t)
		addUsers(t, s, 5)
		ids, want := addCrowd(t, s, random)
		d, _, err := s.BeginDeletion(t.Context(), "u2")
		if err != nil {
			t.Fatal(err)
		}
		var from []int64 // where each call started
		runs := 0
		for left := true; left; runs++ {
			ctx, cancel := context.WithCancel(t.Context())
			first, pages := true, random.IntN(3)
			err := s.Forget(ctx, d, nil, func(at, last int64) {
				if first {
					from, first = append(from, at), false
				}
				if last < int64(len(ids)) || at > last {
					t.Errorf("progress %d of %d, for %d notices", at, last, len(ids))
				}
				if pages--; pages < 0 && runs < 12 {
					cancel() // before the progress is stored
				}
			})
			if left = err != nil; left && ctx.Err() == nil {
				t.Fatal(err)
			}
			cancel()
		}
		if !slices.IsSorted(from[:3]) || from[len(from)-1] <= from[0] {
			t.Errorf("the %d runs began at %v: one started over", runs, from)
		}
		if err := s.EndDeletion(t.Context(), d.Seq); err != nil {
			t.Fatal(err)
		}
		db.wantNoWord(t, "u2")
		got := map[int64]string{}
		for _, id := range ids {
			n, err := s.Notice(t.Context(), id)
			if errors.Is(err, notifier.ErrNotFound) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			to := must(s.Recipients(t.Context(), id))(t).ToArray()
			got[id] = fmt.Sprint(to, n.Target.Users, fromUser(n.Sender, 2))
			if fromUser(n.Sender, 2) {
				t.Errorf("the sender of notice %d is still user 2", id)
			}
		}
		for id, w := range want {
			if g, w := strings.TrimSuffix(got[id], "false"), strings.TrimSuffix(strings.TrimSuffix(w, "true"), "false"); g != w {
				t.Errorf("notice %d is %q; want %q", id, g, w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d notices are left; want %d", len(got), len(want))
		}
	})
}

func fromUser(sender notifier.Ref, seq int64) bool {
	return sender.Is(notifier.UserRef(notifier.User{Seq: seq}))
}

package store_test

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestWorkOvertakenByAnEditMovesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := accept(t, s, draft())
		stands := func(when string, state notifier.State, done, rev int64) {
			t.Helper()
			got := must(s.Notice(t.Context(), n.ID))(t)
			if got.State != state || got.Done != done || got.Revision != rev {
				t.Errorf("%s: %s at %d in revision %d; want %s, %d, %d", when, got.State, got.Done, got.Revision, state, done, rev)
			}
		}
		move := func(rev int64, from, to notifier.State, want bool) {
			t.Helper()
			if ok := must(s.Move(t.Context(), n.ID, rev, from, to))(t); ok != want {
				t.Errorf("revision %d, %s → %s: %v; want %v", rev, from, to, ok, want)
			}
		}
		advance := func(rev int64, state notifier.State, done int64) {
			t.Helper()
			if err := s.Advance(t.Context(), notifier.Claim{}, n.ID, rev, state, done); err != nil {
				t.Fatal(err)
			}
		}
		advance(0, notifier.StateAccepted, 7)
		stands("accepted", notifier.StateAccepted, 7, 0)
		move(0, notifier.StateAccepted, notifier.StateSending, true)
		stands("sending", notifier.StateSending, 0, 0)
		advance(0, notifier.StateSending, 9)

		edited := n
		if err := s.EditNotice(t.Context(), notifier.Actor{}, &edited); err != nil {
			t.Fatal(err)
		}
		stands("edited while sending", notifier.StateAccepted, 0, 1)
		advance(0, notifier.StateAccepted, 500)
		move(0, notifier.StateAccepted, notifier.StateSending, false)
		move(0, notifier.StateAccepted, notifier.StateSent, false)
		move(0, notifier.StateSending, notifier.StateSent, false)
		stands("overtaken", notifier.StateAccepted, 0, 1)
		advance(1, notifier.StateAccepted, 500)
		stands("sending again", notifier.StateAccepted, 500, 1)
		move(1, notifier.StateAccepted, notifier.StateSent, true)
		stands("sent", notifier.StateSent, 0, 1)

		if err := s.EditNotice(t.Context(), notifier.Actor{}, &edited); err != nil {
			t.Fatal(err)
		}
		stands("edited after all recipients had it", notifier.StateSending, 0, 2)
		move(1, notifier.StateSending, notifier.StateSent, false)
		advance(1, notifier.StateSending, 500)
		stands("overtaken again", notifier.StateSending, 0, 2)
		if ok := must(s.Move(t.Context(), 99, 0, notifier.StateAccepted, notifier.StateSent))(t); ok {
			t.Error("an unknown notice was moved")
		}
	})
}

package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// actedBy accepts a notice to user 2 with an actor, and then moves it to a state.
func actedBy(t *testing.T, s *store.Store, id string, state notifier.State) int64 {
	t.Helper()
	a := &notifier.Acceptance{To: roaring.BitmapOf(2), Notice: &notifier.Notice{Draft: notifier.Draft{
		Target: toUsers("bob"), Type: "like", Title: "alice's photo", Sender: notifier.CommandRef("send"),
		Extras: notifier.Extras{Actor: &notifier.RowActor{ID: id, Name: "Al", Image: "https://cdn.example.com/a.png"}},
	}}}
	acceptAll(t, s, a)
	if state != notifier.StateAccepted {
		moved, err := s.Move(t.Context(), a.Notice.ID, 0, notifier.StateAccepted, state)
		if err != nil || !moved {
			t.Fatal(moved, err)
		}
	}
	return a.Notice.ID
}

func TestADeletedUserIsForgottenAsTheActorOfNotices(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, `a"lice`)
		addUser(t, s, "bob")
		var all []int64
		for _, state := range []notifier.State{notifier.StateAccepted, notifier.StateSending, notifier.StateSent} {
			all = append(all, actedBy(t, s, `a"lice`, state))
		}
		other := actedBy(t, s, `a"lic`, notifier.StateSent)
		d, _, err := s.BeginDeletion(t.Context(), `a"lice`)
		if err != nil {
			t.Fatal(err)
		}
		errAway := errors.New("redis is away")
		for range 2 { // a failed call does not lose the notices, although SQL has forgotten the actor
			var acted []int64
			err = s.Forget(t.Context(), d, func(ids []int64) error {
				acted = append(acted, ids...)
				return errAway
			}, nil)
			if wantIs(t, err, errAway); !slices.Equal(acted, all) {
				t.Errorf("the notices %v are passed on; want %v", acted, all)
			}
		}
		if err := errors.Join(s.Forget(t.Context(), d, nil, nil), s.EndDeletion(t.Context(), d.Seq)); err != nil {
			t.Fatal(err)
		}
		for i, want := range []notifier.State{notifier.StateAccepted, notifier.StateAccepted, notifier.StateSent} {
			n, _ := notice(t, s, all[i])
			if a := n.Extras.Actor; n.State != want || n.Revision != 1 || a.Name != notifier.Somebody || a.ID != "" || a.Image != "" || n.Title != "alice's photo" {
				t.Errorf("notice %d is %s in revision %d, by %+v", n.ID, n.State, n.Revision, a)
			}
		}
		if n, _ := notice(t, s, other); n.Revision != 0 || n.Extras.Actor.ID != `a"lic` {
			t.Errorf("the notice of another is in revision %d, by %+v", n.Revision, n.Extras.Actor)
		}
		late := must(s.Contents(t.Context(), all[:1]))(t)[all[0]]
		late.Extras.Actor, late.Revision = &notifier.RowActor{ID: `a"lice`, Name: "Al"}, 0
		wantIs(t, s.EditNotice(t.Context(), notifier.Actor{}, &late), notifier.ErrConflict)
	})
}

package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// wantField checks that err rejects exactly this field and returns its params.
func wantField(t *testing.T, err error, field, code string) map[string]any {
	t.Helper()
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) || len(bad.Fields) != 1 || bad.Fields[0].Field != field || bad.Fields[0].Code != code {
		t.Errorf("error = %v; want %s: %s", err, field, code)
		return nil
	}
	return bad.Fields[0].Params
}

// fill adds announcements up to the limit, except for the given number.
func (db *database) fill(t *testing.T, s *store.Store, but, from, to int, audiences ...notifier.Audience) {
	t.Helper()
	for i := range notifier.MaxOpen - but {
		announce(t, s, db.announcement(fmt.Sprint("filler ", i), from, to, audiences...))
	}
}

func TestRejectionOfThe65thNamesTheFirstToEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		db.fill(t, s, 4, 0, 100, 2)
		for i, title := range []string{"third", "fourth", "first", "second"} {
			announce(t, s, db.announcement(title, 5, []int{32, 33, 30, 31}[i], 2))
		}
		revision := must(s.AnnouncementRevision(t.Context()))(t)
		n := db.announcement("65th", 0, 50, 1, 2)
		params := wantField(t, s.Announce(t.Context(), &n), "starts_at", notifier.CodeTooManyOpen)
		want := map[string]any{"Audience": 2, "Max": 64, "Titles": "first, second, third"}
		if diff := cmp.Diff(want, params); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if found := must(s.Announcements(t.Context(), []int64{65, 66}))(t); len(found) != 0 || n.ID != 0 {
			t.Errorf("the rejected announcement is stored: %+v", found)
		}
		if now := must(s.AnnouncementRevision(t.Context()))(t); now != revision {
			t.Errorf("a rejection changed the revision %d → %d", revision, now)
		}
		announce(t, s, db.announcement("before they are 64", 0, 5, 2))
		announce(t, s, db.announcement("after they are 64", 30, 50, 2))
		announce(t, s, db.announcement("to others", 0, 50, 1))
	})
}

func TestRejectionNamesEveryFullAudience(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		db.fill(t, s, 0, 0, 1, 1, 3)
		n := db.announcement("65th", 0, 1, 1, 2, 3)
		var bad *notifier.InvalidError
		if err := s.Announce(t.Context(), &n); !errors.As(err, &bad) || len(bad.Fields) != 2 ||
			bad.Fields[0].Params["Audience"] != 1 || bad.Fields[1].Params["Audience"] != 3 {
			t.Errorf("error = %v; want audiences 1 and 3", err)
		}
	})
}

func TestOnlyOverlappingAnnouncementsCount(t *testing.T) {
	t.Parallel()
	for name, room := range map[string]func(t *testing.T, db *database, s *store.Store, n *notifier.Notice){
		"others end as it starts": func(_ *testing.T, _ *database, _ *store.Store, n *notifier.Notice) {
			n.StartsAt, n.EndsAt = n.EndsAt, n.EndsAt.Add(time.Hour)
		},
		"others start as it ends": func(_ *testing.T, _ *database, _ *store.Store, n *notifier.Notice) {
			n.StartsAt, n.EndsAt = n.StartsAt.Add(-time.Hour), n.StartsAt
		},
		"one is retracted": func(t *testing.T, _ *database, s *store.Store, _ *notifier.Notice) {
			t.Helper()
			if err := s.RetractAnnouncement(t.Context(), notifier.Actor{}, 7); err != nil {
				t.Error(err)
			}
		},
		"one is withdrawn from the audience": func(t *testing.T, _ *database, s *store.Store, _ *notifier.Notice) {
			t.Helper()
			moved := only(t, s, 7).Notice
			moved.Target.Audiences = []notifier.Audience{2}
			if err := s.EditAnnouncement(t.Context(), notifier.Actor{}, &moved); err != nil {
				t.Error(err)
			}
		},
		"their time has passed": func(_ *testing.T, db *database, _ *store.Store, n *notifier.Notice) {
			db.clock.move(12 * time.Hour)
			n.EndsAt = n.EndsAt.Add(time.Hour) // as if it had been open throughout
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, db *database) {
				s := db.open(t)
				db.fill(t, s, 0, 10, 12, 1)
				n := db.announcement("one more", 10, 12, 1)
				wantField(t, s.Announce(t.Context(), &n), "starts_at", notifier.CodeTooManyOpen)
				room(t, db, s, &n)
				announce(t, s, n)
			})
		})
	}
}

func TestConsecutiveWindowsDoNotAddUp(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		db.fill(t, s, 2, 0, 100, 1)
		for hour := range 20 {
			announce(t, s, db.announcement(fmt.Sprint("hour ", hour), hour, hour+1, 1))
		}
		announce(t, s, db.announcement("the 64th all the time", 0, 50, 1))
		n := db.announcement("across", 19, 40, 1)
		params := wantField(t, s.Announce(t.Context(), &n), "starts_at", notifier.CodeTooManyOpen)
		if got := fmt.Sprint(params["Titles"]); got != "hour 19, the 64th all the time, filler 0" {
			t.Errorf("named are %s; want the one of hour 19 first", got)
		}
		announce(t, s, db.announcement("after them", 20, 40, 1))
	})
}

func TestOneOfTwentyConcurrentCallsGetsTheLastSlot(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		db.fill(t, stores[0], 1, 0, 1, 1)
		errs := make(chan error)
		for i := range 20 {
			go func() {
				n := db.announcement("the last", 0, 1, 1)
				errs <- stores[i%2].Announce(t.Context(), &n)
			}()
		}
		won := 0
		for range 20 {
			if err := <-errs; err == nil {
				won++
			} else {
				wantField(t, err, "starts_at", notifier.CodeTooManyOpen)
			}
		}
		if found := must(stores[0].CurrentAnnouncements(t.Context()))(t); won != 1 || len(found) != notifier.MaxOpen {
			t.Errorf("%d calls succeeded, %d announcements are open; want 1 and %d", won, len(found), notifier.MaxOpen)
		}
	})
}

func TestEditedAnnouncementDoesNotCountAgainstItself(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		db.fill(t, s, 0, 0, 2, 1)
		elsewhere := announce(t, s, db.announcement("elsewhere", 0, 2, 2))
		n := only(t, s, 9).Notice
		n.Title = "edited"
		if err := s.EditAnnouncement(t.Context(), notifier.Actor{}, &n); err != nil {
			t.Errorf("edit one of 64: %v", err)
		}
		elsewhere.Target.Audiences = []notifier.Audience{1, 2}
		wantField(t, s.EditAnnouncement(t.Context(), notifier.Actor{}, &elsewhere), "starts_at", notifier.CodeTooManyOpen)
		if got := only(t, s, elsewhere.ID); len(got.Parts) != 1 || got.Revision != 0 {
			t.Errorf("the rejected edit is stored: %+v", got)
		}
	})
}

package store_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// addHook adds a hook that wants these events, or all.
func addHook(tb testing.TB, s *store.Store, name string, events ...notifier.EventType) notifier.Hook {
	tb.Helper()
	if len(events) == 0 {
		events = notifier.EventTypes()
	}
	h, err := s.AddHook(tb.Context(), commandLine, notifier.Hook{Name: name, URL: "https://" + name + ".example.com/", Events: events}, []byte("sealed"))
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

var commandLine = notifier.Actor{Ref: notifier.CommandRef("command line")}

// events returns the waiting events of a hook since the last call, oldest first, each as its type and its data.
func events(t *testing.T, s *store.Store, hook int64) (found []string) {
	t.Helper()
	waiting := must(s.HookEvents(t.Context(), hook, 1000))(t)
	slices.SortFunc(waiting, func(a, b notifier.HookEvent) int { return int(a.N - b.N) })
	for _, e := range waiting {
		var body struct {
			Type      string
			Timestamp time.Time
			Data      json.RawMessage
		}
		if err := json.Unmarshal(e.Body, &body); err != nil || body.Type != string(e.Type) || !body.Timestamp.Equal(e.CreatedAt) || !strings.HasPrefix(e.ID, "msg_") {
			t.Fatalf("event %+v: %s, %v", e, e.Body, err)
		}
		found = append(found, body.Type+" "+string(body.Data))
	}
	store.Exec(t, s, `DELETE FROM hook_events`)
	return found
}

// wantEvents compares the events of a hook since the last call, in any order.
func wantEvents(t *testing.T, s *store.Store, hook int64, doing string, want ...string) {
	t.Helper()
	got := events(t, s, hook)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", doing, diff)
	}
}

func TestFactsHaveEventsInTheSameTransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		h := addHook(t, s, "all")
		ann, ben := addUser(t, s, "ann"), addUser(t, s, "ben")

		n := accept(t, s, draft())
		wantEvents(t, s, h.ID, "accepted", `notice.sent {"notice":1}`)
		for range 2 { // the second time nothing is confirmed
			must(s.Confirm(t.Context(), []notifier.Revised{{ID: n.ID}}))(t)
		}
		wantEvents(t, s, h.ID, "delivered", `notice.delivered {"notice":1}`)
		n.Title = "edited"
		if err := s.EditNotice(t.Context(), commandLine, &n); err != nil {
			t.Fatal(err)
		}
		if err := s.Finish(t.Context(), n.ID, n.Revision, notifier.StateSending, notifier.StateSent); err != nil {
			t.Fatal(err)
		}
		wantEvents(t, s, h.ID, "an edit of a delivered notice")
		must(s.RetractNotice(t.Context(), commandLine, n.ID, notifier.StateSent, notifier.StateRetracting))(t)
		must(s.RetractNotice(t.Context(), commandLine, n.ID, notifier.StateSent, notifier.StateRetracting))(t)
		wantEvents(t, s, h.ID, "retracted", `notice.retracted {"notice":1}`)

		large := accept(t, s, draft())
		must(s.Move(t.Context(), large.ID, 0, notifier.StateAccepted, notifier.StateSending))(t)
		if err := s.Finish(t.Context(), large.ID, 0, notifier.StateSending, notifier.StateSent); err != nil {
			t.Fatal(err)
		}
		wantEvents(t, s, h.ID, "a large notice", `notice.sent {"notice":2}`, `notice.delivered {"notice":2}`)

		id := ask(t, s, db, notifier.AskRule{Needs: 1}, named(ann), ann)
		if _, _, err := answer(t, s, id, ann, "approve", "a secret comment"); err != nil {
			t.Fatal(err)
		}
		wantEvents(t, s, h.ID, "answered", `notice.sent {"notice":3}`, `notice.delivered {"notice":3}`, `ask.answered {"ask":3,"state":"answered","outcome":"approve"}`)
		ask(t, s, db, notifier.AskRule{Needs: 1}, named(ann), ann)
		db.clock.move(2 * time.Hour)
		must(s.ExpireAsks(t.Context(), 9))(t)
		wantEvents(t, s, h.ID, "expired", `notice.sent {"notice":4}`, `notice.delivered {"notice":4}`, `ask.expired {"ask":4,"state":"expired","outcome":null}`)

		reachable(t, s, ann)
		if err := s.SetMute(t.Context(), ben.Seq, "like", true); err != nil {
			t.Fatal(err)
		}
		wantEvents(t, s, h.ID, "preferences", `preferences.changed {"user":"ann"}`, `preferences.changed {"user":"ben"}`)
		for range 2 {
			if err := s.Bounced(t.Context(), "ann", true); err != nil {
				t.Fatal(err)
			}
		}
		wantEvents(t, s, h.ID, "bounced", `mail.dead {"user":"ann"}`)
		for _, target := range must(s.Targets(t.Context(), ann.Seq))(t) {
			if target.Kind == notifier.ReachPush {
				step := &notifier.ReachStep{Was: &target, To: target, Gone: true}
				if err := s.Step(t.Context(), []*notifier.ReachStep{step, {Was: &target, To: target, Gone: true}}); err != nil || !step.Done {
					t.Fatal(step, err)
				}
			}
		}
		wantEvents(t, s, h.ID, "a device that is gone", `device.dead {"user":"ann"}`)
		must(s.DeleteUser(t.Context(), "ben"))(t)
		wantEvents(t, s, h.ID, "deleted", `user.deleted {"user":"ben"}`)
	})
}

func TestAScheduledNoticeIsSentAtItsRelease(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		h := addHook(t, s, "all")
		n := notifier.Notice{Draft: draft(), State: notifier.StateScheduled, ExpiresAt: db.clock.at.Add(9 * time.Hour)}
		n.SendAt = db.clock.at.Add(time.Hour)
		if err := s.Accept(t.Context(), &n); err != nil {
			t.Fatal(err)
		}
		wantEvents(t, s, h.ID, "scheduled")
		db.clock.move(2 * time.Hour)
		a := notifier.Acceptance{Notice: &n, To: roaring.BitmapOf(1)}
		if err := s.Release(t.Context(), []*notifier.Acceptance{&a}); err != nil || a.Err != nil {
			t.Fatal(err, a.Err)
		}
		wantEvents(t, s, h.ID, "released", `notice.sent {"notice":1}`)
	})
}

func TestAnnouncementsOpenAndCloseOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		h := addHook(t, s, "all")
		turn := func() {
			t.Helper()
			for range 2 {
				if err := s.TurnAnnouncements(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		announce(t, s, db.announcement("now", 0, 2, 3))
		wantEvents(t, s, h.ID, "at once", `announcement.opened {"announcement":1}`)
		later := announce(t, s, db.announcement("later", 1, 9, 3))
		never := announce(t, s, db.announcement("never", 5, 9, 3))
		turn()
		wantEvents(t, s, h.ID, "later")
		if err := s.RetractAnnouncement(t.Context(), commandLine, never.ID); err != nil {
			t.Fatal(err)
		}
		db.clock.move(time.Hour)
		turn()
		wantEvents(t, s, h.ID, "after an hour", `announcement.opened {"announcement":2}`)
		if err := s.RetractAnnouncement(t.Context(), commandLine, later.ID); err != nil {
			t.Fatal(err)
		}
		wantEvents(t, s, h.ID, "retracted", `announcement.closed {"announcement":2}`)
		db.clock.move(20 * time.Hour)
		turn()
		wantEvents(t, s, h.ID, "at the end", `announcement.closed {"announcement":1}`)
	})
}

func TestOnlyHooksThatAreOnGetTheEventsThatTheyWant(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		sent, other := addHook(t, s, "sent", notifier.EventNoticeSent), addHook(t, s, "other", notifier.EventUserDeleted, notifier.EventNoticeSent)
		accept(t, s, draft())
		first, second := must(s.HookEvents(t.Context(), sent.ID, 9))(t), must(s.HookEvents(t.Context(), other.ID, 9))(t)
		if len(first) != 1 || len(second) != 1 || first[0].ID == second[0].ID {
			t.Fatalf("events %+v and %+v; want one of each with an id of its own", first, second)
		}
		store.Exec(t, s, `UPDATE hooks SET off = 'gone' WHERE id = `+itoa(other.ID)) // by another instance
		must(s.RemoveHook(t.Context(), commandLine, sent.ID))(t)
		store.Exec(t, s, `DELETE FROM hook_events`)
		accept(t, s, draft())
		wantEvents(t, s, other.ID, "the hook is off")
		wantEvents(t, s, sent.ID, "the hook is removed")
		db.clock.move(store.HooksKnown)
		accept(t, s, draft())
		wantEvents(t, s, other.ID, "the hook is known to be off")
		must(s.SwitchHookOn(t.Context(), commandLine, other.ID))(t)
		accept(t, s, draft())
		wantEvents(t, s, other.ID, "on again", `notice.sent {"notice":4}`)
	})
}

func TestAHookOfAnotherInstanceIsKnownSoon(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		here, there := db.open(t), db.open(t)
		accept(t, here, draft()) // reads that there is no hook
		h := addHook(t, there, "new")
		db.clock.move(store.HooksKnown)
		accept(t, here, draft())
		wantEvents(t, here, h.ID, "after a while", `notice.sent {"notice":2}`)
	})
}

func TestADeletedUserIsInNoEventButOfTheDeletion(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		h := addHook(t, s, "all")
		ann, ben := addUser(t, s, "ann"), addUser(t, s, "ben")
		for _, u := range []notifier.User{ann, ben} {
			if err := s.SetMute(t.Context(), u.Seq, "like", true); err != nil {
				t.Fatal(err)
			}
		}
		export := must(s.ExportUser(t.Context(), "ann"))(t)
		exported := 0
		for e, err := range export.Events {
			if exported++; err != nil || !strings.Contains(string(e.Body), `{"user":"ann"}`) {
				t.Errorf("exported: %s, %v", e.Body, err)
			}
		}
		if exported != 1 {
			t.Errorf("%d events of ann are exported, want 1", exported)
		}
		must(s.DeleteUser(t.Context(), "ann"))(t)
		wantEvents(t, s, h.ID, "after the deletion", `preferences.changed {"user":"ben"}`, `user.deleted {"user":"ann"}`)
	})
}

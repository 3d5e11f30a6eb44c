package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// changed lists the pending changes by user, without their versions.
func changed(t *testing.T, s *store.Store, again time.Time) []notifier.ChangedUser {
	t.Helper()
	changes := must(s.ChangedUsers(t.Context(), again, 100))(t)
	slices.SortFunc(changes, func(a, b notifier.ChangedUser) int { return int(a.Seq - b.Seq) })
	for i := range changes {
		changes[i].Version = 0
	}
	return changes
}

// tell marks all pending changes as published.
func tell(t *testing.T, s *store.Store, again time.Time) {
	t.Helper()
	for _, c := range must(s.ChangedUsers(t.Context(), again, 100))(t) {
		if err := s.ToldChange(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// TestChangesOfUsersAreRecordedInTheSameTransaction covers all the ways in which a user changes.
func TestChangesOfUsersAreRecordedInTheSameTransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice", "picker"), addUser(t, s, "bob", "picker")
		put := func(u notifier.PutUser) func() error {
			return func() error { _, _, err := s.PutUser(t.Context(), u); return err }
		}
		role := func(seqs ...int64) (want []notifier.ChangedUser) {
			for _, seq := range seqs {
				want = append(want, notifier.ChangedUser{Seq: seq, Audience: 3})
			}
			return want
		}
		for _, c := range []struct {
			what string
			do   func() error
			want []notifier.ChangedUser
		}{
			{"a role is added", func() error { return s.AddRole(t.Context(), "alice", "staff") }, role(alice.Seq)},
			{"a role is removed", func() error { return s.RemoveRole(t.Context(), "alice", "staff") }, role(alice.Seq)},
			{"a role they did not have is removed", func() error { return s.RemoveRole(t.Context(), "alice", "staff") }, nil},
			{"put: other roles", put(notifier.PutUser{Name: "alice", Roles: new([]string{"picker", "staff"})}), role(alice.Seq)},
			{"put: the same", put(notifier.PutUser{Name: "alice", Roles: new([]string{"staff", "picker"}), Audience: new(notifier.Audience(3))}), nil},
			{"put: a language", put(notifier.PutUser{Name: "bob", Locale: new("ja")}), role(bob.Seq)},
			{"settings", func() error {
				_, err := s.SetSettings(t.Context(), bob.Seq, notifier.PutSettings{ToastsOff: new(true)})
				return err
			}, role(bob.Seq)},
			{"a type is muted", func() error { return s.SetMute(t.Context(), bob.Seq, "like", true) }, role(bob.Seq)},
			{"preferences", func() error {
				return s.PutPreferences(t.Context(), bob.Seq, notifier.PutPreferences{PausedUntil: new(db.clock.now())})
			}, role(bob.Seq)},
			{"a mail address", put(notifier.PutUser{Name: "bob", Email: new("bob@example.com")}), role(bob.Seq)},
			{"unsubscribing", func() error { _, err := s.SwitchOff(t.Context(), mailOf(t, s, bob.Seq).Token); return err }, role(bob.Seq)},
			{"a password", func() error { _, err := s.SetPassword(t.Context(), "bob", "hash"); return err }, role(bob.Seq)},
			{"the zone of the browser", func() error { _, err := s.SetZone(t.Context(), bob.Seq, "Asia/Tokyo"); return err }, role(bob.Seq)},
			{"the same zone", func() error { _, err := s.SetZone(t.Context(), bob.Seq, "Asia/Tokyo"); return err }, nil},
			{"a name for people", func() error {
				_, _, _, _, err := s.Proxied(t.Context(), notifier.ProxiedUser{Name: "bob", Display: new("Bob")})
				return err
			}, role(bob.Seq)},
			{"a zone that a provider says", func() error {
				_, _, _, _, err := s.Proxied(t.Context(), notifier.ProxiedUser{Name: "alice", Zone: new("Asia/Tokyo")})
				return err
			}, role(alice.Seq)},
			{"another one, when one is known", func() error {
				u, _, _, _, err := s.Proxied(t.Context(), notifier.ProxiedUser{Name: "bob", Zone: new("Europe/Berlin")})
				if u.Zones.Seen != "Asia/Tokyo" {
					t.Errorf("the zone is %q", u.Zones.Seen)
				}
				return err
			}, nil},
			{"a note on a profile alone", func() error {
				_, _, _, _, err := s.Proxied(t.Context(), notifier.ProxiedUser{Name: "alice", Notes: notifier.ProfileNotes{Email: notifier.Dropped}})
				return err
			}, role(alice.Seq)},
			{"the role is deleted", func() error { return s.DeleteRole(t.Context(), "picker") }, role(alice.Seq, bob.Seq)},
			{
				"put: an audience", put(notifier.PutUser{Name: "bob", Audience: new(notifier.Audience(1))}),
				[]notifier.ChangedUser{{Seq: bob.Seq, Audience: 1, Moved: true}},
			},
		} {
			tell(t, s, time.Time{})
			if err := c.do(); err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			if diff := cmp.Diff(c.want, changed(t, s, time.Time{})); diff != "" {
				t.Errorf("%s (-want +recorded):\n%s", c.what, diff)
			}
		}
	})
}

func TestMovedUserIsListedTwice(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		if _, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: "bob", Audience: new(notifier.Audience(1))}); err != nil {
			t.Fatal(err)
		}
		c, found, err := s.ChangedUser(t.Context(), bob.Seq)
		if err != nil || !found || !c.Moved || c.Told {
			t.Fatalf("bob's change is %+v, %v, %v", c, found, err)
		}
		tell(t, s, time.Time{})
		if _, found, err = s.ChangedUser(t.Context(), bob.Seq); found || err != nil {
			t.Errorf("still pending after it was passed on: %v, %v", found, err)
		}
		if got := changed(t, s, db.clock.now()); len(got) != 0 {
			t.Errorf("listed again at once: %+v", got)
		}
		later := db.clock.now().Add(time.Second)
		want := []notifier.ChangedUser{{Seq: bob.Seq, Audience: 1, Moved: true, Told: true}}
		if diff := cmp.Diff(want, changed(t, s, later)); diff != "" {
			t.Errorf("later (-want +got):\n%s", diff)
		}
		tell(t, s, later)
		if got := changed(t, s, later); len(got) != 0 {
			t.Errorf("a third time: %+v", got)
		}
	})
}

func TestChangeDuringAnotherIsNotLost(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		move := func(a notifier.Audience) {
			t.Helper()
			if _, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: "bob", Audience: &a}); err != nil {
				t.Fatal(err)
			}
		}
		move(1)
		first, _, err := s.ChangedUser(t.Context(), bob.Seq)
		if err != nil {
			t.Fatal(err)
		}
		move(2) // in the same millisecond
		if err := s.ToldChange(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		second, found, err := s.ChangedUser(t.Context(), bob.Seq)
		if err != nil || !found || second.Audience != 2 || second.Version <= first.Version {
			t.Errorf("after %+v there is %+v, %v, %v; want the later move", first, second, found, err)
		}
	})
}

// TestEveryEndedSessionIsRecorded: Redis and the streams have copies of the session.
func TestEveryEndedSessionIsRecorded(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for what, end := range map[string]func(u notifier.User) error{
			"one":      func(notifier.User) error { _, err := s.EndSession(t.Context(), "one"); return err },
			"all":      func(u notifier.User) error { _, err := s.EndSessions(t.Context(), u.Seq); return err },
			"password": func(u notifier.User) error { _, err := s.SetPassword(t.Context(), u.Name, "h"); return err },
			"deletion": func(u notifier.User) error { _, err := s.DeleteUser(t.Context(), u.Name); return err },
		} {
			u := addUser(t, s, "user of "+what)
			if err := s.CreateSession(t.Context(), what, notifier.Signed{User: u}, db.clock.now()); err != nil {
				t.Fatal(err)
			}
			if err := end(u); err != nil {
				t.Fatal(err)
			}
			want := []notifier.EndedSession{{ID: what, Seq: u.Seq}}
			if diff := cmp.Diff(want, must(s.EndedSessions(t.Context(), 10))(t)); diff != "" {
				t.Errorf("%s (-want +recorded):\n%s", what, diff)
			}
			if err := s.ToldEnded(t.Context(), []string{what, "another"}); err != nil {
				t.Fatal(err)
			}
			if left := must(s.EndedSessions(t.Context(), 10))(t); len(left) != 0 {
				t.Errorf("%s: still pending after it was passed on: %v", what, left)
			}
		}
		if seq, err := s.EndSession(t.Context(), "nobody's"); seq != 0 || err != nil {
			t.Errorf("an unknown session: user %d, %v", seq, err)
		}
		if got := must(s.EndedSessions(t.Context(), 10))(t); len(got) != 0 {
			t.Errorf("an unknown session is recorded: %v", got)
		}
	})
}

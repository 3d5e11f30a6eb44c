package store_test

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestSessionIsReadWithItsUser(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := addUser(t, s, "alice", "staff", "picker")
		began := db.clock.now()
		if err := s.CreateSession(t.Context(), "a", notifier.Signed{User: alice}, began); err != nil {
			t.Fatal(err)
		}
		wantIs(t, s.CreateSession(t.Context(), "a", notifier.Signed{User: alice}, began), notifier.ErrConflict)
		wantIs(t, s.CreateSession(t.Context(), "b", notifier.Signed{User: notifier.User{Seq: 99}}, began), notifier.ErrNotFound)
		for _, touched := range []time.Duration{time.Hour, time.Minute} { // the second time is older and changes nothing
			if err := s.TouchSessions(t.Context(), []string{"a"}, began.Add(touched)); err != nil {
				t.Fatal(err)
			}
		}
		signed, seen, err := sessionOf(t.Context(), s, "a")
		if err != nil || !seen.Equal(began.Add(time.Hour)) {
			t.Errorf("seen %v, %v; want an hour after %v", seen, err, began)
		}
		if diff := cmp.Diff(notifier.Signed{User: alice, ID: "a", Since: began.UTC().Truncate(time.Millisecond)}, signed); diff != "" {
			t.Errorf("session (-want +got):\n%s", diff)
		}
		for range 2 { // ending a session twice is not an error
			must(s.EndSession(t.Context(), "a"))(t)
		}
		_, _, err = sessionOf(t.Context(), s, "a")
		wantIs(t, err, notifier.ErrNotFound)
	})
}

func TestSessionsEndByUserAndByAge(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice"), addUser(t, s, "bob")
		start := db.clock.now()
		at := func(id string, u notifier.User, began, seen time.Duration) {
			t.Helper()
			if err := s.CreateSession(t.Context(), id, notifier.Signed{User: u}, start.Add(began)); err != nil {
				t.Fatal(err)
			}
			if err := s.TouchSessions(t.Context(), []string{id}, start.Add(seen)); err != nil {
				t.Fatal(err)
			}
		}
		at("old", alice, 0, 10*time.Hour)
		at("idle", alice, 5*time.Hour, 5*time.Hour)
		at("live", alice, 5*time.Hour, 10*time.Hour)
		at("bobs", bob, 5*time.Hour, 10*time.Hour)
		limits := notifier.SessionLimits{Since: start.Add(time.Hour), Seen: start.Add(6 * time.Hour), Now: start.Add(12 * time.Hour)}
		for id, until := range map[string]time.Duration{"over": 12 * time.Hour, "provided": 13 * time.Hour} {
			signed := notifier.Signed{User: bob, By: &notifier.Provided{Until: start.Add(until)}}
			if err := s.CreateSession(t.Context(), id, signed, start.Add(10*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		live := must(s.LiveSessions(t.Context(), []string{"old", "idle", "live", "bobs", "none", "over", "provided"}, limits))(t)
		if !maps.Equal(live, map[string]notifier.Audience{"bobs": bob.Audience, "live": alice.Audience, "provided": bob.Audience}) {
			t.Errorf("live = %v", live)
		}
		limits.Now = limits.Now.Add(time.Millisecond)
		if n := must(s.PurgeSessions(t.Context(), limits))(t); n != 3 {
			t.Errorf("purged %d; want the old, the idle and the ended one", n)
		}
		if ended := must(s.EndSessions(t.Context(), alice.Seq))(t); !slices.Equal(ended, []notifier.EndedSession{{ID: "live", Seq: alice.Seq}}) {
			t.Errorf("ended = %v; want the remaining sessions of alice", ended)
		}
		if _, _, err := sessionOf(t.Context(), s, "bobs"); err != nil {
			t.Errorf("another user's session: %v", err)
		}
	})
}

func TestGroupsMakeStaffForOneSession(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, until := addUser(t, s, "alice", "picker"), db.clock.now().Add(time.Hour).UTC().Truncate(time.Millisecond)
		for id, by := range map[string]*notifier.Provided{"group": {Until: until, Staff: true, IDToken: "e30"}, "none": {Until: until}, "password": nil} {
			if err := s.CreateSession(t.Context(), id, notifier.Signed{User: alice, By: by}, db.clock.now()); err != nil {
				t.Fatal(err)
			}
			signed, _, err := sessionOf(t.Context(), s, id)
			if err != nil || signed.User.HasRole(notifier.RoleStaff) != (id == "group") || !signed.User.HasRole("picker") {
				t.Errorf("%s: %v, %v", id, signed.User.Roles, err)
			}
			if (signed.By == nil) != (by == nil) || by != nil && (!signed.By.Until.Equal(until) || signed.By.IDToken != "") {
				t.Errorf("%s: %+v", id, signed.By)
			}
			want := ""
			if by != nil {
				want = by.IDToken
			}
			if token := must(s.IDToken(t.Context(), id))(t); token != want {
				t.Errorf("%s: the token is %q", id, token)
			}
		}
	})
}

func TestAuditLogIsReadNewestFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		var want []notifier.AuditEntry
		for i, action := range []string{"notice.send", "notice.retract", "user.add"} {
			e := notifier.AuditEntry{Actor: notifier.CommandRef("alice"), Action: action, Object: notifier.NoticeRef(1), Detail: "a\nb", Address: "192.0.2.1"}
			if err := s.Audit(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			e.ID, e.At = int64(i+1), db.clock.now()
			want = append([]notifier.AuditEntry{e}, want...)
			db.clock.move(time.Second)
		}
		got := slices.Concat(must(s.AuditLog(t.Context(), 0, 2))(t), must(s.AuditLog(t.Context(), 2, 2))(t))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		if err := s.Audit(t.Context(), notifier.AuditEntry{Detail: "\x00\xff"}); err != nil {
			t.Errorf("bytes that are not valid text: %v", err)
		}
	})
}

func TestSettingsAreStoredAndReturnedWithSessions(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice"), addUser(t, s, "bob")
		for _, id := range []string{"a", "b"} {
			if err := s.CreateSession(t.Context(), id, notifier.Signed{User: alice}, db.clock.now()); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []notifier.Settings{
			{Locale: "ja", Theme: notifier.ThemeDark, KeysOff: true},
			{ToastsOff: true},
			{OpensOnly: true},
			{Compact: true},
			{Locale: "en", Theme: notifier.ThemeLight},
			{},
		} {
			if _, err := s.SetSettings(t.Context(), alice.Seq, notifier.PutSettings{
				Locale: &want.Locale, Theme: &want.Theme, KeysOff: &want.KeysOff, ToastsOff: &want.ToastsOff, OpensOnly: &want.OpensOnly, Compact: &want.Compact,
			}); err != nil {
				t.Fatal(err)
			}
			signed, _, err := sessionOf(t.Context(), s, "a")
			listed := must(s.Users(t.Context(), notifier.UserQuery{}))(t)
			found := must(s.UserByName(t.Context(), "alice"))(t)
			for what, got := range map[string]notifier.User{"session": signed.User, "list": listed[0], "name": found} {
				if err != nil || got.Settings != want {
					t.Errorf("%s: the settings of alice are %+v, %v; want %+v", what, got.Settings, err, want)
				}
			}
			if listed[1].Settings != (notifier.Settings{}) {
				t.Errorf("the settings of bob are %+v; want the defaults", listed[1].Settings)
			}
		}
		_, err := s.SetSettings(t.Context(), 99, notifier.PutSettings{})
		wantIs(t, err, notifier.ErrNotFound)
		ids := must(s.SessionsOf(t.Context(), alice.Seq))(t)
		if slices.Sort(ids); !slices.Equal(ids, []string{"a", "b"}) {
			t.Errorf("alice's sessions are %q", ids)
		}
		if ids = must(s.SessionsOf(t.Context(), bob.Seq))(t); len(ids) != 0 {
			t.Errorf("bob's sessions are %q", ids)
		}
	})
}

// sessionOf returns one session and when it was last seen, or notifier.ErrNotFound.
func sessionOf(ctx context.Context, s *store.Store, id string) (notifier.Signed, time.Time, error) {
	found, err := s.Sessions(ctx, []string{id, "no such session"})
	switch one := found[id]; {
	case err != nil:
		return notifier.Signed{}, time.Time{}, err
	case one == nil || len(found) > 1:
		return notifier.Signed{}, time.Time{}, notifier.ErrNotFound
	default:
		return one.Signed, one.Seen, nil
	}
}

func TestSessionsReadTogetherEachHaveTheirUserAndRoles(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		want := map[string][]string{"a": {"picker", "staff"}, "b": nil, "c": {"staff"}, "d": {"picker", "staff"}}
		users := map[string]notifier.User{"a": addUser(t, s, "alice", "staff", "picker"), "b": addUser(t, s, "bob"), "c": addUser(t, s, "carol")}
		users["d"] = users["a"]
		for id, user := range users {
			who := notifier.Signed{User: user}
			if id == "c" {
				who.By = &notifier.Provided{Until: db.clock.now().Add(time.Hour), Staff: true}
			}
			if err := s.CreateSession(t.Context(), id, who, db.clock.now()); err != nil {
				t.Fatal(err)
			}
		}
		found, err := s.Sessions(t.Context(), []string{"d", "a", "none", "c", "b", "a"})
		if err != nil || len(found) != len(users) {
			t.Fatalf("%d sessions, %v", len(found), err)
		}
		for id, user := range users {
			if got := found[id]; got.ID != id || got.User.Name != user.Name || !slices.Equal(got.User.Roles, want[id]) {
				t.Errorf("%s: %+v", id, got)
			}
		}
	})
}

func TestUsersWereLastSeenInTheirLatestSession(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		began := db.clock.now()
		var seqs []int64
		for _, name := range []string{"alice", "bob", "carol"} {
			u := must(s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 2}))(t)
			seqs = append(seqs, u.Seq)
			for i, after := range map[string][]time.Duration{"alice": {3, 1}, "carol": {7}}[name] {
				if err := s.CreateSession(t.Context(), name+strconv.Itoa(i), notifier.Signed{User: u}, began.Add(after*time.Hour)); err != nil {
					t.Fatal(err)
				}
			}
		}
		seen := must(s.LastSeen(t.Context(), seqs[:2]))(t)
		if len(seen) != 1 || !seen[seqs[0]].Equal(began.Add(3*time.Hour).Truncate(time.Millisecond)) {
			t.Errorf("seen %v", seen)
		}
	})
}

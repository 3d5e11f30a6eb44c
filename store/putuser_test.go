package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestPutUserChangesOnlyTheGivenFields(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		put := func(what string, u notifier.PutUser, wantCreated bool, want notifier.User) {
			t.Helper()
			got, created, err := s.PutUser(t.Context(), u)
			if err != nil || created != wantCreated {
				t.Errorf("%s: created %v, %v", what, created, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +returned):\n%s", what, diff)
			}
			if diff := cmp.Diff(want, must(s.UserByName(t.Context(), u.Name))(t)); diff != "" {
				t.Errorf("%s (-want +stored):\n%s", what, diff)
			}
		}
		want := notifier.User{Seq: 1, Name: "bob", Audience: 2}
		put("only a name", notifier.PutUser{Name: "bob"}, true, want)
		put("again", notifier.PutUser{Name: "bob"}, false, want)
		want.Audience, want.Locale, want.Roles = 3, "ja", []string{"packer", "picker"}
		put("all fields", notifier.PutUser{
			Name: "bob", Audience: new(notifier.Audience(3)), Locale: new("ja"), Roles: new([]string{"picker", "packer", "picker"}),
		}, false, want)
		want.Roles = []string{"picker", "staff"}
		put("other roles", notifier.PutUser{Name: "bob", Roles: new([]string{"staff", "picker"})}, false, want)
		want.Locale = ""
		put("no locale", notifier.PutUser{Name: "bob", Locale: new("")}, false, want)
		want.Roles = nil
		put("no roles", notifier.PutUser{Name: "bob", Roles: new([]string{})}, false, want)
		put("all fields of a new user", notifier.PutUser{
			Name: "eve", Audience: new(notifier.Audience(1)), Locale: new("en"), Roles: new([]string{"b", "a"}),
		}, true, notifier.User{Seq: 2, Name: "eve", Audience: 1, Settings: notifier.Settings{Locale: "en"}, Roles: []string{"a", "b"}})

		alice := addUser(t, s, "alice", "staff")
		if _, err := s.SetSettings(t.Context(), alice.Seq, notifier.PutSettings{Theme: new(notifier.ThemeDark), KeysOff: new(true), Locale: new("en")}); err != nil {
			t.Fatal(err)
		}
		must(0, s.CreateSession(t.Context(), "session", notifier.Signed{User: alice}, db.clock.now()))(t)
		alice.Settings = notifier.Settings{Theme: notifier.ThemeDark, KeysOff: true, Locale: "ja"}
		put("a user with a password", notifier.PutUser{Name: "alice", Locale: new("ja")}, false, alice)
		if _, hash, err := s.Credentials(t.Context(), "alice"); hash != "hash of alice" || err != nil {
			t.Errorf("the password hash is %q, %v", hash, err)
		}
		if e := must(s.ExportUser(t.Context(), "alice"))(t); len(e.Sessions) != 1 {
			t.Errorf("she has %d sessions; want the existing one", len(e.Sessions))
		}
	})
}

func TestPutUserReportsAllInvalidFieldsAndChangesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "staff")
		for _, name := range []string{"alice", "bob"} {
			_, created, err := s.PutUser(t.Context(), notifier.PutUser{
				Name: name, Audience: new(notifier.Audience(-1)), Locale: new("no locale"), Roles: new([]string{"fine", "a\x00"}),
			})
			var bad *notifier.InvalidError
			if !errors.As(err, &bad) || created || len(bad.Fields) != 3 {
				t.Errorf("%s: created %v, %v; want three invalid fields", name, created, err)
			}
		}
		if users := must(s.Users(t.Context(), notifier.UserQuery{}))(t); len(users) != 1 || users[0].Audience != 3 {
			t.Errorf("users are %+v; want none", users)
		}
		if _, err := s.Role(t.Context(), "fine"); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("a role of the rejected user: %v", err)
		}
	})
}

func TestConcurrentPutUserCreatesTheUserOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		var made atomic.Int64
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				u, created, err := stores[i%2].PutUser(t.Context(), notifier.PutUser{Name: "bob", Roles: new([]string{fmt.Sprint("r", i), "b", "a"})})
				if err != nil || len(u.Roles) != 3 || u.Seq != 1 {
					t.Errorf("%+v, %v", u, err)
				}
				if created {
					made.Add(1)
				}
			})
		}
		wg.Wait()
		got := must(stores[0].UserByName(t.Context(), "bob"))(t)
		if made.Load() != 1 || len(got.Roles) != 3 {
			t.Errorf("the user was created %d times and has the roles %v; want the roles of one call", made.Load(), got.Roles)
		}
	})
}

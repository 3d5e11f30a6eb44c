package store_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestUserIsFoundAsCreated(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for i, name := range []string{"alice", "Ælfred Müller", "倉庫 7", "two  spaces", "a,b:c|d{p01}%_'\"\\", strings.Repeat("é", 100)} {
			made := must(s.CreateUser(t.Context(), notifier.NewUser{
				Name: name, PasswordHash: "h", Audience: 2, Locale: "pt-BR", Roles: []string{"staff", "picker", "staff"},
			}))(t)
			want := notifier.User{
				Seq: int64(i + 1), Name: name, Audience: 2, Settings: notifier.Settings{Locale: "pt-BR"}, Roles: []string{"picker", "staff"},
			}
			byName := must(s.UserByName(t.Context(), name))(t)
			for what, got := range map[string]notifier.User{"made": made, "by name": byName} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		}
	})
}

func TestUnknownUsersAreNotFound(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "picker")
		for _, name := range []string{"bob", "Alice", "alice ", "", "nul\x00", "\xff", strings.Repeat("x", 10_000)} {
			_, err := s.UserByName(t.Context(), name)
			wantIs(t, err, notifier.ErrNotFound)
			_, _, err = s.Credentials(t.Context(), name)
			wantIs(t, err, notifier.ErrNotFound)
			_, err = s.SetPassword(t.Context(), name, "h")
			wantIs(t, err, notifier.ErrNotFound)
			wantIs(t, s.AddRole(t.Context(), name, "picker"), notifier.ErrNotFound)
			wantIs(t, s.RemoveRole(t.Context(), name, "picker"), notifier.ErrNotFound)
			_, err = s.RoleMembers(t.Context(), name)
			wantIs(t, err, notifier.ErrNotFound)
		}
	})
}

func TestNamesAreUnique(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice")
		_, err := s.CreateUser(t.Context(), notifier.NewUser{Name: "alice", Audience: 1, Roles: []string{"new"}})
		wantIs(t, err, notifier.ErrConflict)
		if roles := must(s.FindRoles(t.Context(), "", 100))(t); len(roles) != 0 {
			t.Errorf("the rejected user left roles behind: %v", roles)
		}
		if u := addUser(t, s, "Alice"); u.Seq != 2 {
			t.Errorf("the next user has number %d; want 2: a rejected one uses none", u.Seq)
		}
	})
}

func TestEveryInvalidFieldOfANewUserIsReported(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		_, err := s.CreateUser(t.Context(), notifier.NewUser{Name: "a\x00b", Audience: 0, Locale: "no locale", Roles: []string{""}})
		var bad *notifier.InvalidError
		if !errors.As(err, &bad) {
			t.Fatalf("error = %v; want an InvalidError", err)
		}
		var fields []string
		for _, f := range bad.Fields {
			fields = append(fields, f.Field)
		}
		if diff := cmp.Diff([]string{"name", "audience", "locale", "roles"}, fields); diff != "" {
			t.Errorf("fields (-want +got):\n%s", diff)
		}
		for _, name := range []string{"", "a\nb", "\x7f", "\xff", strings.Repeat("x", 201)} {
			if _, err := s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 1}); !errors.As(err, &bad) {
				t.Errorf("name %.10q: error = %v; want an InvalidError", name, err)
			}
		}
	})
}

func TestConcurrentlyCreatedUsersGetDenseNumbers(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				name := fmt.Sprintf("user %d", i/2) // each name is tried twice
				_, err := stores[i%2].CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 1, Roles: []string{"all"}})
				if err != nil && !errors.Is(err, notifier.ErrConflict) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		members := must(stores[0].RoleMembers(t.Context(), "all"))(t)
		if n := members.GetCardinality(); n != 20 || members.Minimum() != 1 || members.Maximum() != 20 {
			t.Errorf("numbers are %v; want 1 to 20", members)
		}
	})
}

func TestNoNumberAboveMaxSeqIsAssigned(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		db.cfg.MaxSeq = 2
		s := db.open(t)
		addUser(t, s, "a")
		addUser(t, s, "b")
		_, err := s.CreateUser(t.Context(), notifier.NewUser{Name: "c", Audience: 1})
		wantIs(t, err, notifier.ErrFull)
		if err != nil && !strings.Contains(err.Error(), "3 would be above the highest allowed, 2 (--max-seq)") {
			t.Errorf("error %q does not contain the numbers", err)
		}
		db.cfg.MaxSeq = 3
		if u := addUser(t, db.open(t), "c"); u.Seq != 3 {
			t.Errorf("after raising the limit the number is %d; want 3", u.Seq)
		}
	})
}

func TestSetPasswordEndsTheSessions(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice"), addUser(t, s, "bob")
		for id, u := range map[string]notifier.User{"s1": alice, "s2": alice, "s3": bob} {
			if err := s.CreateSession(t.Context(), id, notifier.Signed{User: u}, db.clock.now()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.SetPassword(t.Context(), "alice", "new"); err != nil {
			t.Fatal(err)
		}
		u, hash, err := s.Credentials(t.Context(), "alice")
		if err != nil || hash != "new" || u.Seq != alice.Seq {
			t.Errorf("credentials = %v, %q, %v; want the new hash", u, hash, err)
		}
		live := must(s.LiveSessions(t.Context(), []string{"s1", "s2", "s3"}, notifier.SessionLimits{Since: db.clock.at.Add(-1), Seen: db.clock.at.Add(-1), Now: db.clock.at}))(t)
		if !maps.Equal(live, map[string]notifier.Audience{"s3": bob.Audience}) {
			t.Errorf("live sessions are %v; want bob's only", live)
		}
	})
}

func TestNamesAreLookedUpInBulk(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, odd := addUser(t, s, "alice"), addUser(t, s, `{"a",\n}`)
		seqs, unknown, err := s.SeqsByName(t.Context(), []string{"alice", "zoe", odd.Name, "\xff", "zoe", "Alice", "nul\x00"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]int64{"alice": alice.Seq, odd.Name: odd.Seq}, seqs); diff != "" {
			t.Errorf("seqs (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"zoe", "\xff", "Alice", "nul\x00"}, unknown); diff != "" {
			t.Errorf("unknown (-want +got):\n%s", diff)
		}
	})
}

func TestRolesGainAndLoseMembers(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "staff")
		addUser(t, s, "bob")
		for range 2 { // the second time changes nothing
			if err := s.AddRole(t.Context(), "bob", "staff"); err != nil {
				t.Fatal(err)
			}
			if err := s.AddRole(t.Context(), "bob", "倉庫"); err != nil {
				t.Fatal(err)
			}
		}
		if got := must(s.RoleMembers(t.Context(), "staff"))(t).ToArray(); !slices.Equal(got, []uint32{1, 2}) {
			t.Errorf("staff = %v; want 1 and 2", got)
		}
		for range 2 {
			if err := s.RemoveRole(t.Context(), "bob", "倉庫"); err != nil {
				t.Fatal(err)
			}
		}
		if got := must(s.RoleMembers(t.Context(), "倉庫"))(t); !got.IsEmpty() {
			t.Errorf("members after the last was removed = %v; want none and no error", got)
		}
		want := []notifier.RoleInfo{{Name: "staff", Members: 2}, {Name: "倉庫"}}
		if diff := cmp.Diff(want, must(s.FindRoles(t.Context(), "", 100))(t)); diff != "" {
			t.Errorf("roles (-want +got):\n%s", diff)
		}
		wantIs(t, s.RemoveRole(t.Context(), "bob", "nobody"), notifier.ErrNotFound)
		var bad *notifier.InvalidError
		if err := s.AddRole(t.Context(), "bob", "a\tb"); !errors.As(err, &bad) {
			t.Errorf("role with a tab: %v; want an InvalidError", err)
		}
	})
}

func TestSameNamesIgnoresCase(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for _, name := range []string{"bob", "BOB", "Zoë", "Anna Maria", "STRASSE"} {
			must(s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 1}))(t)
		}
		got := must(s.SameNames(t.Context(), []string{"Bob", "bob", "zoË", "anna maria", "straße", "anna", "", "a\x00"}))(t)
		want := map[string][]string{
			"Bob": {"BOB", "bob"}, "bob": {"BOB", "bob"}, "zoË": {"Zoë"}, "anna maria": {"Anna Maria"}, "straße": {"STRASSE"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

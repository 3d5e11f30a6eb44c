package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// TestCompletionListsPrefixMatchesFirst runs with the name index and, with a limit that makes the
// directory too large for it, without.
func TestCompletionListsPrefixMatchesFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, large := db.open(t), db.open(t)
		store.BoundNames(large, 3)
		for _, name := range []string{"zoë.ali", "Natalie", "bob", "ALINA", "alice", "50%_off", "ali.ali", "Åsa", "mali", `back\slash`} {
			addUser(t, s, name, "staff", "picker")
		}
		for _, c := range []struct {
			part  string
			limit int
			want  []string
		}{
			{"ali", 8, []string{"ali.ali", "alice", "ALINA", "mali", "Natalie", "zoë.ali"}},
			{"ALI", 4, []string{"ali.ali", "alice", "ALINA", "mali"}},
			{"Ali", 2, []string{"ali.ali", "alice"}},
			{"lie", 8, []string{"Natalie"}},
			{"ZOË.", 8, []string{"zoë.ali"}},
			{"oË", 8, []string{"zoë.ali"}},
			{"%_", 8, []string{"50%_off"}},
			{`\`, 8, []string{`back\slash`}},
			{"", 2, []string{"50%_off", "ali.ali"}},
			{"nobody", 8, []string{}},
			{"e\nb", 8, []string{}}, // the index must not match across two names
			{"\x00\xff", 8, []string{}},
			{strings.Repeat("a", 10_000), 8, []string{}},
		} {
			for what, s := range map[string]*store.Store{"index": s, "no index": large} {
				got, err := s.FindUsers(t.Context(), c.part, c.limit)
				want := c.want
				if c.limit == 4 && len(got) == 4 { // the order of the other matches is undefined
					got, want = got[:3], want[:3]
				}
				if diff := cmp.Diff(want, names(got)); err != nil || diff != "" {
					t.Errorf("%.20q with %s: %v (-want +got):\n%s", c.part, what, err, diff)
				}
				for _, u := range got {
					if len(u.Roles) != 2 {
						t.Errorf("%s has roles %v; want both", u.Name, u.Roles)
					}
				}
			}
		}
	})
}

func TestUsersAreFoundByTheirNameForPeople(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token, now := shop(t, s, "shop"), db.clock.now()
		for name, display := range map[string]string{"41": "Élodie Dupont", "42": "山田 太郎", "43": "Dupré", "44": "100% Done_it", "dup": "Someone Else"} {
			if _, _, _, err := s.Arrive(t.Context(), token(name, now, notifier.TokenProfile{Display: &display})); err != nil {
				t.Fatal(err)
			}
		}
		find := func(part string, want ...string) {
			t.Helper()
			got, err := s.FindUsers(t.Context(), part, 8)
			if diff := cmp.Diff(want, names(got)); err != nil || diff != "" {
				t.Errorf("%q: %v (-want +got):\n%s", part, err, diff)
			}
		}
		find("dup", "dup", "43", "41")
		find("éL", "41")
		find("太", "42")
		find("山田", "42")
		find("do", "44")
		find("%", []string{}...)
		listed, err := s.Users(t.Context(), notifier.UserQuery{Contains: "PON", Limit: 8})
		if diff := cmp.Diff([]string{"41"}, names(listed)); err != nil || diff != "" {
			t.Errorf("the list: %v (-want +got):\n%s", err, diff)
		}
		renamed := "Anna"
		if _, _, _, err := s.Arrive(t.Context(), token("41", now.Add(time.Minute), notifier.TokenProfile{Display: &renamed})); err != nil {
			t.Fatal(err)
		}
		find("éL", []string{}...)
		find("anna", "41")
		named, err := s.UserNames(t.Context(), roaring.BitmapOf(uint32(listed[0].Seq)))
		if want := (notifier.UserName{Name: "41", Display: "Anna"}); err != nil || named[listed[0].Seq] != want {
			t.Errorf("the names are %v, %v", named, err)
		}
		addUser(t, s, "plain")
		shown, err := s.Displays(t.Context(), []string{"41", "42", "plain", "nobody"})
		if diff := cmp.Diff(map[string]string{"41": "Anna", "42": "山田 太郎"}, shown); err != nil || diff != "" {
			t.Errorf("the names are %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestCompletionIncludesNewAndExcludesDeletedUsers(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, other := db.open(t), db.open(t)
		addUser(t, s, "natalie")
		find := func(what string, want ...string) {
			t.Helper()
			got, err := s.FindUsers(t.Context(), "ali", 8)
			if diff := cmp.Diff(want, names(got)); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
			}
		}
		find("at first", "natalie")
		addUser(t, other, "mali")
		addUser(t, other, "bob")
		find("after two came", "mali", "natalie")
		if _, err := db.raw(t).ExecContext(t.Context(), `DELETE FROM users WHERE name = 'natalie'`); err != nil {
			t.Fatal(err)
		}
		find("after one went", "mali")
		addUser(t, s, "khalil")
		find("after another came", "khalil", "mali")
	})
}

func TestRoleCompletionReturnsMemberCounts(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for i := range 3 {
			addUser(t, s, fmt.Sprint("u", i), "Picker", "倉庫")
		}
		addUser(t, s, "alone", "night-picker", "staff")
		for part, want := range map[string][]notifier.RoleInfo{
			"pick": {{Name: "Picker", Members: 3}, {Name: "night-picker", Members: 1}},
			"":     {{Name: "Picker", Members: 3}, {Name: "night-picker", Members: 1}, {Name: "staff", Members: 1}},
			"庫":    {{Name: "倉庫", Members: 3}},
			"none": {},
			"\x00": {},
		} {
			got, err := s.FindRoles(t.Context(), part, 3)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%q: %v (-want +got):\n%s", part, err, diff)
			}
		}
	})
}

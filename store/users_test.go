package store_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func names(users []notifier.User) []string {
	list := []string{}
	for _, u := range users {
		list = append(list, u.Name)
	}
	return list
}

func TestUsersAreFoundByPartOfTheirNameIgnoringCase(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for _, name := range []string{"bob", "Alice", "alina", "ALBERT", "Émile", "éric", "straße", "50%_off", `back\slash`} {
			addUser(t, s, name, "staff", "picker")
		}
		for _, c := range []struct {
			query notifier.UserQuery
			want  []string
		}{
			{notifier.UserQuery{}, []string{"50%_off", "ALBERT", "Alice", "alina", `back\slash`, "bob", "straße", "Émile", "éric"}},
			{notifier.UserQuery{Prefix: "aL"}, []string{"ALBERT", "Alice", "alina"}},
			{notifier.UserQuery{Prefix: "ÉM"}, []string{"Émile"}},
			{notifier.UserQuery{Prefix: "STRASSE"}, []string{"straße"}},
			{notifier.UserQuery{Prefix: "lice"}, []string{}},
			{notifier.UserQuery{Contains: "LI"}, []string{"Alice", "alina"}},
			{notifier.UserQuery{Contains: "%_"}, []string{"50%_off"}},
			{notifier.UserQuery{Contains: `\`}, []string{`back\slash`}},
			{notifier.UserQuery{Prefix: "a", Contains: "N"}, []string{"alina"}},
			{notifier.UserQuery{Prefix: "a", After: "Alice"}, []string{"alina"}},
			{notifier.UserQuery{Prefix: "\x00\xff"}, []string{}},
			{notifier.UserQuery{Contains: "\xff", After: "\x00"}, []string{}},
		} {
			got := must(s.Users(t.Context(), c.query))(t)
			if diff := cmp.Diff(c.want, names(got)); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.query, diff)
			}
			for _, u := range got {
				if !slices.Equal(u.Roles, []string{"picker", "staff"}) {
					t.Errorf("%s has roles %v; want both, sorted", u.Name, u.Roles)
				}
			}
		}
	})
}

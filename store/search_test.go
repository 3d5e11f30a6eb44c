package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func ids(notices []notifier.Notice) []int64 {
	list := []int64{}
	for _, n := range notices {
		list = append(list, n.ID)
	}
	return list
}

func TestNoticesArePagedInBothDirections(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for range 7 {
			accept(t, s, draft())
		}
		for _, oldest := range []bool{false, true} {
			var got []int64
			q := notifier.NoticeQuery{Oldest: oldest, Limit: 3}
			for range 10 {
				page := ids(must(s.Notices(t.Context(), q))(t))
				if len(page) == 0 {
					break
				}
				got = append(got, page...)
				if last := page[len(page)-1]; oldest {
					q.After = last
				} else {
					q.Before = last
				}
			}
			want := []int64{1, 2, 3, 4, 5, 6, 7}
			if !oldest {
				slices.Reverse(want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("oldest first is %v (-want +got):\n%s", oldest, diff)
			}
		}
		between := notifier.NoticeQuery{After: 2, Before: 6, Oldest: true}
		if diff := cmp.Diff([]int64{3, 4, 5}, ids(must(s.Notices(t.Context(), between))(t))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", between, diff)
		}
	})
}

func TestNoticesAreFoundByTitleAndSenderIgnoringCase(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for _, n := range []struct{ title, sender string }{
			{"The ÉCOLE is closed", "carol"}, {"50% off_today", "Bob"}, {"Straße gesperrt", "BOB"}, {`a\b`, "倉庫"}, {"carols", "dave"},
		} {
			d := draft()
			d.Title, d.Sender = n.title, notifier.CommandRef(n.sender)
			accept(t, s, d)
		}
		for _, c := range []struct {
			query notifier.NoticeQuery
			want  []int64
		}{
			{notifier.NoticeQuery{Contains: "école"}, []int64{1}},
			{notifier.NoticeQuery{Contains: "STRASSE"}, []int64{3}},
			{notifier.NoticeQuery{Contains: "bob"}, []int64{3, 2}},
			{notifier.NoticeQuery{Contains: "Carol", Oldest: true}, []int64{1, 5}},
			{notifier.NoticeQuery{Contains: "carol", Before: 5}, []int64{1}},
			{notifier.NoticeQuery{Contains: "carol", After: 1}, []int64{5}},
			{notifier.NoticeQuery{Contains: "% off_"}, []int64{2}},
			{notifier.NoticeQuery{Contains: `\`}, []int64{4}},
			{notifier.NoticeQuery{Contains: "倉"}, []int64{4}},
			{notifier.NoticeQuery{Contains: "two\nlines"}, []int64{}}, // text of the body
			{notifier.NoticeQuery{Contains: "\x00\xff"}, []int64{}},
		} {
			if diff := cmp.Diff(c.want, ids(must(s.Notices(t.Context(), c.query))(t))); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.query, diff)
			}
		}
	})
}

func TestPagesOfUsersAreComplete(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		var byName, added []string
		for i := range 25 {
			name := fmt.Sprintf("u%02d", i)
			if i%2 == 0 {
				name = fmt.Sprintf("U%02d", i)
			}
			byName = append(byName, name)
		}
		for i := range byName { // so that all orders differ
			added = append(added, byName[i*7%25])
			addUser(t, s, added[i], "r1", "r2")
		}
		backwards := func(list []string) []string {
			list = slices.Clone(list)
			slices.Reverse(list)
			return list
		}
		for _, c := range []struct {
			query notifier.UserQuery
			want  []string
		}{
			{notifier.UserQuery{}, byName},
			{notifier.UserQuery{Descending: true}, backwards(byName)},
			{notifier.UserQuery{ByNewest: true}, backwards(added)},
			{notifier.UserQuery{ByNewest: true, Descending: true, Contains: "u1"}, tens(backwards(added))},
			{notifier.UserQuery{Descending: true, Prefix: "U1"}, tens(backwards(byName))},
		} {
			got := []string{}
			q := c.query
			q.Limit = 4
			for range 10 {
				page := must(s.Users(t.Context(), q))(t)
				if len(page) == 0 {
					break
				}
				if len(page) > 4 || len(page[0].Roles) != 2 {
					t.Fatalf("a page has %d users, the first with roles %v; want at most 4 users, and both roles", len(page), page[0].Roles)
				}
				got = append(got, names(page)...)
				q.After, q.Before = page[len(page)-1].Name, page[len(page)-1].Seq
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.query, diff)
			}
		}
	})
}

// tens returns u10 to u19 in the order of the list.
func tens(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return name[1] != '1' })
}

package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// userNames gets the whole list of users.
func (w *world) userNames(t testing.TB, query url.Values, between func()) (names []string) {
	t.Helper()
	pages(t, w, w.admin, "/users", query, between, func(page userPage) (int, string) {
		for _, u := range page.Users {
			names = append(names, u.Name)
		}
		return len(page.Users), page.Next
	})
	return names
}

func TestPagingPassesOverNoUserAndDoublesNone(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, address string) {
		w := newStillWorld(t, address, redistest.Client(t))
		all := []notifier.NewUser{
			{Name: "alice", Audience: 2, Roles: []string{"staff"}},
			{Name: "bob", Audience: 2},
			{Name: "carol", Audience: 2, Roles: []string{"picker"}},
			{Name: "dave", Audience: 2, Roles: []string{"picker"}},
			{Name: "erin", Audience: 3},
		}
		come := func(rt *rapid.T) {
			u := notifier.NewUser{
				Name:     rapid.StringMatching(`[a-eA-EÉß][a-c.]{0,6}`).Filter(func(name string) bool { return !slices.ContainsFunc(all, named(name)) }).Draw(rt, "name"),
				Audience: rapid.SampledFrom([]notifier.Audience{1, 2, 3}).Draw(rt, "audience"),
			}
			if rapid.Bool().Draw(rt, "picks") {
				u.Roles = []string{"picker", "vip"}
			}
			if _, err := w.store.CreateUser(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			all = append(all, u)
		}
		rapid.Check(t, func(rt *rapid.T) {
			query := url.Values{}
			set := func(name string, values ...string) {
				if value := rapid.SampledFrom(append(values, "")).Draw(rt, name); value != "" {
					query.Set(name, value)
				}
			}
			set("limit", "1", "2", "5")
			set("q", "a", "AB", ".", "é")
			set("role", "picker", "vip", "none")
			set("audience", "operator", "user", "customer")
			var want []string
			for _, u := range all {
				if has := query.Get; strings.Contains(strings.ToLower(u.Name), strings.ToLower(has("q"))) && (has("role") == "" || slices.Contains(u.Roles, has("role"))) &&
					(has("audience") == "" || has("audience") == testAudiences[u.Audience]) {
					want = append(want, u.Name)
				}
			}
			before := len(all)
			got := w.userNames(t, query, func() { come(rt) })
			isNew := func(name string) bool { return slices.ContainsFunc(all[before:], named(name)) }
			if again := slices.Compact(slices.Sorted(slices.Values(got))); len(again) != len(got) {
				rt.Fatalf("%v lists some twice: %q", query, got)
			}
			got = slices.DeleteFunc(got, isNew)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got, cmp.Transformer("none", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
				rt.Fatalf("%v (-want +got):\n%s", query, diff)
			}
		})
	})
}

func named(name string) func(notifier.NewUser) bool {
	return func(u notifier.NewUser) bool { return u.Name == name }
}

func TestAListedUserIsTheUser(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, w *world) {
		w.call(t, w.admin, "PUT", "/users/Frank", `{"audience":"customer","roles":["vip","picker"],"locale":"ja","email":"frank@example.com"}`).is(t, http.StatusCreated)
		var page userPage
		w.call(t, w.admin, "GET", "/users", nil).is(t, http.StatusOK).into(t, &page)
		var names []string
		for _, u := range page.Users {
			var alone userAnswer
			w.call(t, w.admin, "GET", "/users/"+u.Name, nil).is(t, http.StatusOK).into(t, &alone)
			if diff := cmp.Diff(alone, u); diff != "" {
				t.Errorf("%s and their row differ:\n%s", u.Name, diff)
			}
			names = append(names, u.Name)
		}
		if want := []string{"alice", "bob", "carol", "dave", "erin", "Frank"}; !slices.Equal(names, want) || page.Next != "" {
			t.Errorf("the users are %v and next is %q, want %v", names, page.Next, want)
		}
		if frank := page.Users[5]; frank.Email == nil || *frank.Email != "frank@example.com" || !slices.Equal(frank.Roles, []string{"picker", "vip"}) {
			t.Errorf("Frank is %+v", frank)
		}
	})
}

func TestTheListOfUsersRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for query, want := range map[string]string{
		"after=bob":                        "query.after: must be next of an earlier answer of this call",
		"after=" + idCursor(5):             "query.after: must be next",
		"audience=staff":                   "query.audience: must be one of: operator, user, customer",
		"role=a%0Ab":                       "query.role: invalid name",
		"q=" + strings.Repeat("x", 101):    "query.q: expected length <= 100",
		"q=a&q=b":                          "query.q: must not be given more than once",
		"limit=-1":                         "query.limit: expected number >= 1",
		"audiences=user":                   "query.audiences: unknown query parameter; did you mean audience?",
		"role=" + strings.Repeat("r", 201): "query.role: invalid name",
	} {
		w.refuses(t, "/users?"+query, want)
	}
	for _, key := range []string{w.read, w.send} {
		w.call(t, key, "GET", "/users", nil).is(t, http.StatusForbidden)
	}
	var none userPage
	w.call(t, w.admin, "GET", "/users?q=%25&role=nothing&audience=&after=", nil).is(t, http.StatusOK).into(t, &none)
	if len(none.Users) != 0 || none.Next != "" {
		t.Errorf("a role that nobody has: %+v", none)
	}
}

package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// listed returns the subscriptions for a query, each as `TYPE:SCOPE SUBSCRIBER`.
func (w *world) listed(t testing.TB, query string) (words []string, next int64) {
	t.Helper()
	var out subscriptionsOutput
	w.call(t, w.admin, "GET", "/subscriptions?"+query, nil).is(t, http.StatusOK).into(t, &out.Body)
	for _, s := range out.Body.Subscriptions {
		words = append(words, s.Type+":"+s.Scope+" "+s.User+s.Role)
		if s.ID == 0 || len(s.CreatedAt) != len("2026-01-02T15:04:05.000Z") || (s.User == "") == (s.Role == "") {
			t.Errorf("%+v", s)
		}
	}
	return words, out.Body.Next
}

func TestASubscriptionIsCreatedAndEndedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, body := range []string{
		`{"type": "rep_notice", "scope": "119240", "user": "bob"}`,
		`{"type": "rep_notice", "scope": "119240", "role": "picker"}`,
		`{"type": "rep_notice", "scope": "", "user": "bob"}`,
		`{"type": "other", "user": "bob"}`,
	} {
		w.call(t, w.admin, "DELETE", "/subscriptions", body).is(t, http.StatusNotFound)
		var got, want subscriptionBody
		w.call(t, w.admin, "PUT", "/subscriptions", body).is(t, http.StatusCreated).into(t, &got)
		reply{text: body}.into(t, &want)
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		w.call(t, w.admin, "PUT", "/subscriptions", body).is(t, http.StatusOK)
	}
	w.sent(t, notifier.Draft{Target: notifier.Target{Topic: notifier.Topic{Type: "rep_notice", Scope: "119240"}}, Subject: "aisle:7"}, "bob", "carol", "dave")
	reasons := map[string]string{"bob": "topic:rep_notice:119240", "carol": "role:picker"}
	for name, want := range reasons {
		if got := w.polled(t, name, "scope=119240"); len(got.Notices) != 1 || got.Notices[0].Reason != want {
			t.Errorf("%s: %+v, want reason %s", name, got, want)
		}
	}
	w.call(t, w.admin, "DELETE", "/subscriptions", `{"type": "rep_notice", "scope": "119240", "user": "bob"}`).is(t, http.StatusNoContent)
	w.call(t, w.admin, "DELETE", "/subscriptions", `{"type": "rep_notice", "scope": "119240", "user": "bob"}`).is(t, http.StatusNotFound)
	if got, _ := w.listed(t, "user=bob"); !slices.Equal(got, []string{"other: bob", "rep_notice: bob"}) {
		t.Errorf("%q", got)
	}
}

func TestSubscriptionsAreListedLatestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, s := range []notifier.Subscription{
		{Topic: notifier.Topic{Type: "a", Scope: "1"}, Subscriber: notifier.Subscriber{User: "bob"}},
		{Topic: notifier.Topic{Type: "a"}, Subscriber: notifier.Subscriber{User: "bob"}},
		{Topic: notifier.Topic{Type: "b", Scope: "1"}, Subscriber: notifier.Subscriber{Role: "picker"}},
		{Topic: notifier.Topic{Type: "a", Scope: "1"}, Subscriber: notifier.Subscriber{Role: "picker"}},
		{Topic: notifier.Topic{Type: "a", Scope: "2"}, Subscriber: notifier.Subscriber{User: "erin"}},
	} {
		if _, err := w.topics.Subscribe(t.Context(), notifier.Actor{}, s); err != nil {
			t.Fatal(err)
		}
	}
	all := []string{"a:2 erin", "a:1 picker", "b:1 picker", "a: bob", "a:1 bob"}
	for query, want := range map[string][]string{
		"":                                  all,
		"limit=5":                           all,
		"type=a":                            {"a:2 erin", "a:1 picker", "a: bob", "a:1 bob"},
		"type=a&scope=1":                    {"a:1 picker", "a:1 bob"},
		"type=a&scope=":                     {"a: bob"},
		"user=bob":                          {"a: bob", "a:1 bob"},
		"role=picker&type=b":                {"b:1 picker"},
		"user=bob&role=picker":              nil,
		"user=nobody":                       nil,
		"user=%00":                          nil,
		"user=%ff":                          nil,
		"role=" + strings.Repeat("x", 9999): nil,
		"type=zzz&scope=9":                  nil,
		"before=1":                          nil,
	} {
		if got, next := w.listed(t, query); !slices.Equal(got, want) || next != 0 {
			t.Errorf("%.40s: %q and %d, want %q", query, got, next, want)
		}
	}
	var got []string
	for before := int64(0); ; {
		page, next := w.listed(t, "limit=2&before="+strconv.FormatInt(before, 10))
		got = append(got, page...)
		if before = next; next == 0 {
			break
		}
	}
	if !slices.Equal(got, all) {
		t.Errorf("page by page: %q", got)
	}
	for query, want := range map[string]string{
		"scope=1":                    "query.scope",
		"scope=":                     "query.scope",
		"type=A":                     "query.type",
		"type=a&scope=ü":             "query.scope",
		"limit=0":                    "query.limit",
		"limit=201":                  "query.limit",
		"limit=x":                    "query.limit",
		"before=-1":                  "query.before",
		"before=9223372036854775808": "query.before",
		"whatever=1":                 "query.whatever",
	} {
		res := w.call(t, w.admin, "GET", "/subscriptions?"+query, nil).is(t, http.StatusUnprocessableEntity)
		if got := res.faults(t); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %s", query, got, want)
		}
	}
}

func TestFaultsOfASubscriptionAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		body        string
		put, remove int
		want        []string
	}{
		{`{}`, 422, 422, []string{"body.type", "body.user"}},
		{`{"user": "bob"}`, 422, 422, []string{"body.type"}},
		{`{"type": "a"}`, 422, 422, []string{"body.user"}},
		{`{"type": "a", "user": "bob", "role": "picker"}`, 422, 422, []string{"body.user"}},
		{`{"type": "A b", "scope": "ü", "user": "bob"}`, 422, 422, []string{"body.type", "body.scope"}},
		{`{"type": "a", "user": "\u0000"}`, 422, 422, []string{"body.user"}},
		{`{"type": "a", "role": "` + strings.Repeat("x", 201) + `"}`, 422, 422, []string{"body.role"}},
		{`{"type": "a", "user": 7}`, 422, 422, []string{"body.user"}},
		{`{"type": "a", "user": "bob", "scopes": []}`, 422, 422, []string{"body.scopes"}},
		{`{"type": "a", "user": "nobody"}`, 422, 404, []string{"body.user"}},
		{`{"type": "a", "role": "nobodies"}`, 422, 404, []string{"body.role"}},
	} {
		for method, status := range map[string]int{"PUT": test.put, "DELETE": test.remove} {
			res := w.call(t, w.admin, method, "/subscriptions", test.body).is(t, status)
			want := test.want
			if status == http.StatusNotFound {
				want = nil
			}
			if got := res.faults(t); !slices.Equal(got, want) {
				t.Errorf("%s %.60s: %q, want %q", method, test.body, got, want)
			}
		}
	}
	if got, _ := w.listed(t, ""); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
)

// bodies are the calls about users and subscriptions that have a body, each with a valid body
// and one of its fields.
var bodies = []struct{ method, path, body, field string }{
	{"PUT", "/users/bob", `{"locale": "ja"}`, "locale"},
	{"POST", "/users/bob/read", `{"upto": "1"}`, "upto"},
	{"POST", "/users/bob/read", `{"keys": ["like:1"]}`, "keys"},
	{"POST", "/users/bob/read", `{"subject": "photo:1"}`, "subject"},
	{"PUT", "/subscriptions", `{"type": "rep_notice", "user": "bob"}`, "user"},
	{"DELETE", "/subscriptions", `{"type": "rep_notice", "role": "picker"}`, "role"},
}

func TestCallsAboutUsersRefuseMalformedBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range bodies {
		padded := c.body[:len(c.body)-1] + strings.Repeat(" ", maxBody) + "}"
		with := func(more string) string { return c.body[:len(c.body)-1] + ", " + more + "}" }
		field := "body." + c.field
		for _, test := range []struct {
			body   string
			status int
			want   []string // nil: anywhere
		}{
			{padded, http.StatusRequestEntityTooLarge, []string{"body"}},
			{"", http.StatusUnprocessableEntity, []string{"body"}},
			{"{", http.StatusUnprocessableEntity, nil},
			{"nonsense", http.StatusUnprocessableEntity, []string{"body"}},
			{c.body + c.body, http.StatusUnprocessableEntity, []string{"body"}},
			{"null", http.StatusUnprocessableEntity, []string{"body"}},
			{`"text"`, http.StatusUnprocessableEntity, []string{"body"}},
			{`[` + c.body + `]`, http.StatusUnprocessableEntity, []string{"body"}},
			{with(`"unknown": 1`), http.StatusUnprocessableEntity, []string{"body.unknown"}},
			{with(`"` + c.field + `": "x"`), http.StatusUnprocessableEntity, []string{field}}, // twice
			{`{"` + c.field + `": {}}`, http.StatusUnprocessableEntity, nil},
			{`{"` + c.field + `": ` + strings.Repeat("[", 15_000) + strings.Repeat("]", 15_000) + `}`, http.StatusUnprocessableEntity, nil},
			{strings.Repeat(`{"`+c.field+`":`, 3000) + "1" + strings.Repeat("}", 3000), http.StatusUnprocessableEntity, nil},
			{"{\"" + c.field + "\": \"\xff\"}", http.StatusUnprocessableEntity, []string{field}},
			{"{\"" + c.field + "\": \"\x00\"}", http.StatusUnprocessableEntity, []string{field}},
		} {
			res := w.call(t, w.admin, c.method, c.path, test.body, "Content-Type", "application/json").is(t, test.status)
			got := res.faults(t)
			if len(got) == 0 || test.want != nil && !slices.Equal(got, test.want) {
				t.Errorf("%s %s with %.60q: %q, want %q", c.method, c.path, test.body, got, test.want)
			}
			if len(res.text) > 10_000 {
				t.Errorf("%s %s with %.60q: an answer of %d bytes", c.method, c.path, test.body, len(res.text))
			}
		}
		w.call(t, w.admin, c.method, c.path, c.body, "Content-Type", "text/plain").is(t, http.StatusUnsupportedMediaType)
		w.call(t, w.admin, c.method, c.path+"?unknown=1", c.body).is(t, http.StatusUnprocessableEntity)
		w.call(t, w.admin, "PATCH", c.path, c.body).is(t, http.StatusMethodNotAllowed)
	}
	if got := w.polled(t, "bob", ""); got.Unread != 0 {
		t.Errorf("%+v", got)
	}
	if u, err := w.store.UserByName(t.Context(), "bob"); err != nil || u.Locale != "" {
		t.Errorf("%+v, %v", u, err)
	}
	if got, _ := w.listed(t, ""); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestAnUnknownUserIsNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{
		"nobody", "0", "1", "-1", "9223372036854775808", strings.Repeat("x", 10_000), "Bob", "bob%20", "%20bob", "%00", "%ff", "bob%00", "..%2Fbob",
		"%E2%80%AEbob", "*", "%0D%0ASet-Cookie:x",
	} {
		for _, c := range []struct {
			method, path string
			body         any
		}{
			{"GET", "", nil},
			{"DELETE", "", nil},
			{"GET", "/notices", nil},
			{"GET", "/badge", nil},
			{"POST", "/read", `{"upto": 9223372036854775807}`},
		} {
			w.call(t, w.admin, c.method, "/users/"+name+c.path, c.body).is(t, http.StatusNotFound)
		}
	}
	for _, path := range []string{"/users/", "/users//notices", "/users/bob/", "/users/bob/nothing", "/users/bob/notices/1", "/users/../users/bob"} {
		w.call(t, w.admin, "GET", path, nil).is(t, http.StatusNotFound)
	}
}

func TestAPollWithInvalidParametersIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for query, want := range map[string][]string{
		"since=yesterday":                      {"query.since"},
		"since=-1":                             {"query.since"},
		"since=9223372036854775808":            {"query.since"},
		"since=%00":                            {"query.since"},
		"since=" + strings.Repeat("9", 10_000): {"query.since"},
		"limit=0":                              {"query.limit"},
		"limit=201":                            {"query.limit"},
		"limit=-1":                             {"query.limit"},
		"limit=many":                           {"query.limit"},
		"limit=99999999999999999999":           {"query.limit"},
		"scope=two+words":                      {"query.scope"},
		"scope=%ff":                            {"query.scope"},
		"scope=" + strings.Repeat("x", 65):     {"query.scope"},
		"unread=1":                             {"query.unread"},
		"since=x&limit=0&scope=%00":            nil,
	} {
		res := w.call(t, w.read, "GET", "/users/bob/notices?"+query, nil).is(t, http.StatusUnprocessableEntity)
		got := res.faults(t)
		if len(got) == 0 || want != nil && !slices.Equal(got, want) || len(res.text) > 2000 {
			t.Errorf("%.40s: %q, want %q, in %d bytes", query, got, want, len(res.text))
		}
	}
	for _, accept := range []string{"image/png", "application/json;q=0", strings.Repeat("a/b,", 2000), "\x7f", ";"} {
		res := w.call(t, w.read, "GET", "/users/bob/notices", nil, "Accept", accept).is(t, http.StatusOK)
		if res.Header.Get("Content-Type") != typeJSON {
			t.Errorf("%.40q: %s", accept, res.Header.Get("Content-Type"))
		}
	}
}

func TestWhileRedisIsUnavailableOnlyInboxesAre(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	w := newStillWorld(t, "", server.Client(t))
	w.polled(t, "bob", "")
	server.Kill()
	for path, body := range map[string]any{
		"/users/bob/notices": nil, "/users/bob/badge": nil, "/users/bob/read": `{"upto": 5}`,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			method := "GET"
			if body != nil {
				method = "POST"
			}
			res := w.call(t, w.read, method, path, body).is(t, http.StatusServiceUnavailable)
			if res.Header.Get("Retry-After") == "" || strings.Contains(res.text, "dial") {
				t.Errorf("%v %s", res.Header, res.text)
			}
		})
	}
	t.Run("calls that need only SQL", func(t *testing.T) {
		t.Parallel()
		w.call(t, w.admin, "PUT", "/users/frank", `{}`).is(t, http.StatusCreated)
		w.call(t, w.admin, "GET", "/users/frank", nil).is(t, http.StatusOK)
		w.call(t, w.admin, "PUT", "/subscriptions", `{"type": "rep_notice", "user": "bob"}`).is(t, http.StatusCreated)
		w.call(t, w.admin, "GET", "/subscriptions", nil).is(t, http.StatusOK)
		// The deletion begins in SQL and ends once the user's data in Redis can be removed.
		w.call(t, w.admin, "DELETE", "/users/frank", nil).is(t, http.StatusAccepted)
		w.call(t, w.admin, "GET", "/users/frank", nil).is(t, http.StatusNotFound)
	})
}

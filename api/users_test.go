package api

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

func TestTheSameCallCreatesAndChangesAUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, step := range []struct {
		body   string
		status int
		want   userAnswer
	}{
		{`{}`, http.StatusCreated, userAnswer{"frank", "", "user", []string{}, "", nil}},
		{`{}`, http.StatusOK, userAnswer{"frank", "", "user", []string{}, "", nil}},
		{`{"locale": "ja"}`, http.StatusOK, userAnswer{"frank", "", "user", []string{}, "ja", nil}},
		{`{"roles": ["picker", "driver", "picker"]}`, http.StatusOK, userAnswer{"frank", "", "user", []string{"driver", "picker"}, "ja", nil}},
		{`{"audience": "customer"}`, http.StatusOK, userAnswer{"frank", "", "customer", []string{"driver", "picker"}, "ja", nil}},
		{`{"roles": null, "locale": null, "audience": null}`, http.StatusOK, userAnswer{"frank", "", "customer", []string{"driver", "picker"}, "ja", nil}},
		{`{"roles": [], "locale": ""}`, http.StatusOK, userAnswer{"frank", "", "customer", []string{}, "", nil}},
	} {
		for _, method := range []string{"PUT", "GET"} {
			status, body := step.status, any(step.body)
			if method == "GET" {
				status, body = http.StatusOK, nil
			}
			var got userAnswer
			w.call(t, w.admin, method, "/users/frank", body).is(t, status).into(t, &got)
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Errorf("%s %s: %s", method, step.body, diff)
			}
		}
	}
	members, err := w.store.RoleMembers(t.Context(), "driver")
	if err != nil || members.GetCardinality() != 0 {
		t.Errorf("drivers: %v, %v", members, err)
	}
}

func TestFaultyUsersAreRefusedWithAllTheirFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("x", 201)
	roles := `["` + strings.Join(slices.Collect(func(yield func(string) bool) {
		for i := range maxRoles + 1 {
			if !yield("r" + string(rune('a'+i%26)) + strings.Repeat("z", i/26)) {
				return
			}
		}
	}), `","`) + `"]`
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"frank", `{"audience": "martians"}`, []string{"body.audience"}},
		{"frank", `{"audience": "Customer"}`, []string{"body.audience"}},
		{"frank", `{"audience": ""}`, []string{"body.audience"}},
		{"frank", `{"audience": "2"}`, []string{"body.audience"}},
		{"frank", `{"audience": 2}`, []string{"body.audience"}},
		{"frank", `{"locale": "not a language"}`, []string{"body.locale"}},
		{"frank", `{"locale": "` + long + `", "roles": ["ok", ""]}`, []string{"body.locale", "body.roles"}},
		{"frank", `{"roles": ["` + long + `"]}`, []string{"body.roles"}},
		{"frank", `{"roles": ["\u0000"]}`, []string{"body.roles"}},
		{"frank", `{"roles": "picker"}`, []string{"body.roles"}},
		{"frank", `{"roles": ` + roles + `}`, []string{"body.roles"}},
		{"frank", `{"password": "secret"}`, []string{"body.password"}},
		{"frank", `[]`, []string{"body"}},
		{long, `{}`, []string{"path.name"}},
		{"%00", `{}`, []string{"path.name"}},
		{"%ff", `{}`, []string{"path.name"}},
		{"a%E2%80%AEb", `{"locale": "??"}`, []string{"path.name", "body.locale"}},
	} {
		res := w.call(t, w.admin, "PUT", "/users/"+test.name, test.body).is(t, http.StatusUnprocessableEntity)
		if got := res.faults(t); !slices.Equal(got, test.want) {
			t.Errorf("%.40s %.60s: %q, want %q", test.name, test.body, got, test.want)
		}
	}
	w.call(t, w.admin, "GET", "/users/frank", nil).is(t, http.StatusNotFound)
	everybody, err := w.store.Users(t.Context(), notifier.UserQuery{})
	if err != nil || len(everybody) != 5 {
		t.Errorf("%d users, %v", len(everybody), err)
	}
}

func TestALongDeletionIsAcceptedAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	var audit bytes.Buffer
	w := newWorld(t, func(c *Config) { c.Audit = told{&audit} })
	w.slowDeletions.Store(true)
	for range 2 {
		res := w.call(t, w.admin, "DELETE", "/users/bob", nil).is(t, http.StatusAccepted)
		if res.text != "" {
			t.Errorf("unexpected body: %s", res.text)
		}
		w.call(t, w.admin, "GET", "/users/bob", nil).is(t, http.StatusNotFound)
		w.call(t, w.admin, "PUT", "/users/bob", `{}`).is(t, http.StatusConflict)
	}
	if n := strings.Count(audit.String(), "user.delete"); n != 1 {
		t.Errorf("%d deletions are in the audit log, want one", n)
	}
	w.slowDeletions.Store(false)
	w.call(t, w.admin, "DELETE", "/users/bob", nil).is(t, http.StatusNoContent)
	w.call(t, w.admin, "DELETE", "/users/bob", nil).is(t, http.StatusNotFound)
	w.call(t, w.admin, "PUT", "/users/bob", `{}`).is(t, http.StatusCreated)
}

// told is an audit log that writes its actions as text.
type told struct{ to *bytes.Buffer }

func (a told) Audit(_ context.Context, e notifier.AuditEntry) error {
	a.to.WriteString(e.Action + "\n")
	return nil
}

func TestADeletedUserCannotBeReadOrDeletedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, w.admin, "DELETE", "/users/bob", nil).is(t, http.StatusNoContent)
	for method, path := range map[string]string{"DELETE": "/users/bob", "GET": "/users/bob"} {
		w.call(t, w.admin, method, path, nil).is(t, http.StatusNotFound)
	}
	w.call(t, w.admin, "DELETE", "/users/nobody", nil).is(t, http.StatusNotFound)
}

func TestAFailedDeletionMayBeRepeated(t *testing.T) {
	t.Parallel()
	away, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err == nil {
		err = away.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(c *Config) { c.People = person.New(person.Config{Store: away, Audit: away}) })
	for range 2 {
		res := w.call(t, w.admin, "DELETE", "/users/bob", nil).is(t, http.StatusServiceUnavailable)
		if res.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
}

func TestOnlyAdminKeysReadAndChangeUsersAndSubscriptions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	topic := `{"type": "rep_notice", "user": "bob"}`
	for _, c := range []struct {
		method, path string
		body         any
		read         int // status for a key with the scope read
	}{
		{"PUT", "/users/bob", `{"locale": "ja"}`, http.StatusForbidden},
		{"GET", "/users/bob", nil, http.StatusForbidden},
		{"DELETE", "/users/bob", nil, http.StatusForbidden},
		{"PUT", "/subscriptions", topic, http.StatusForbidden},
		{"GET", "/subscriptions", nil, http.StatusForbidden},
		{"DELETE", "/subscriptions", topic, http.StatusForbidden},
		{"GET", "/users/bob/notices", nil, http.StatusOK},
		{"GET", "/users/bob/badge", nil, http.StatusOK},
		{"POST", "/users/bob/read", `{"upto": 5}`, http.StatusOK},
	} {
		w.call(t, w.read, c.method, c.path, c.body).is(t, c.read)
		w.call(t, w.send, c.method, c.path, c.body).is(t, http.StatusForbidden)
		for _, key := range []string{"", "ck_", "ck_" + strings.Repeat("A", 43), "x" + w.admin[1:], w.admin + "A"} {
			res := w.call(t, key, c.method, c.path, c.body).is(t, http.StatusUnauthorized)
			if res.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: no WWW-Authenticate", c.method, c.path)
			}
		}
	}
	u, err := w.store.UserByName(t.Context(), "bob")
	if err != nil || u.Locale != "" {
		t.Errorf("%+v, %v", u, err)
	}
}

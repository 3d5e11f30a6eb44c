package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestADeletedUserIsNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sent(t, notifier.Draft{Type: "like"}, "bob")
	w.call(t, w.admin, "DELETE", "/users/bob", nil).is(t, http.StatusNoContent)
	for _, path := range []string{"/users/bob/notices", "/users/bob/badge"} {
		w.call(t, w.read, "GET", path, nil).is(t, http.StatusNotFound)
	}
	// A later user with the same name has none of the notices.
	if _, err := w.store.CreateUser(t.Context(), notifier.NewUser{Name: "bob", Audience: 2}); err != nil {
		t.Fatal(err)
	}
	if got := w.polled(t, "bob", "since=0"); got.Unread != 0 || len(got.Notices) != 0 {
		t.Errorf("%+v", got)
	}
	// A user whom another instance has deleted stays cached here for a few seconds, but has no
	// inbox.
	w.polled(t, "carol", "")
	if _, err := w.people.Delete(t.Context(), notifier.Actor{}, "carol", nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/users/carol/notices", "/users/carol/badge"} {
		w.call(t, w.read, "GET", path, nil).is(t, http.StatusNotFound)
	}
	w.call(t, w.read, "POST", "/users/carol/read", `{"upto": 5}`).is(t, http.StatusNotFound)
	w.call(t, w.admin, "PUT", "/users/carol", `{}`).is(t, http.StatusCreated)
	if got := w.polled(t, "carol", "since=0"); got.Unread != 0 || len(got.Notices) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAUserRecreatedByAnotherInstanceIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	recreate := func() { // as another instance would
		t.Helper()
		w.polled(t, "carol", "")
		if _, err := w.people.Delete(t.Context(), notifier.Actor{}, "carol", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := w.store.CreateUser(t.Context(), notifier.NewUser{Name: "carol", Audience: 2}); err != nil {
			t.Fatal(err)
		}
	}
	recreate()
	if got := w.polled(t, "carol", ""); got.Unread != 0 || len(got.Notices) != 0 {
		t.Errorf("%+v", got)
	}
	recreate()
	w.call(t, w.read, "GET", "/users/carol/badge", nil).is(t, http.StatusOK)
	recreate()
	w.call(t, w.read, "POST", "/users/carol/read", `{"upto": 5}`).is(t, http.StatusOK)
	w.call(t, w.read, "POST", "/users/carol/read", `{"keys": ["like:photo:1"]}`).is(t, http.StatusNotFound)
}

func TestUnusualNamesFindTheirUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, name := range []string{"a/b", "..", ".", "a//b", "50%", "%2F", "two words", "日本", "a?b=c", "#1", "a+b", "a;b", "0", "-1", strings.Repeat("é", 100)} {
		escaped := escapeName(name)
		w.call(t, w.admin, "PUT", "/users/"+escaped, `{}`).is(t, http.StatusCreated)
		w.sent(t, notifier.Draft{Type: "like", Subject: strconv.Itoa(i), Target: notifier.Target{Users: []string{name}}})
		testkit.Eventually(t, name+" has it", func() bool { return w.polled(t, escaped, "").Unread == 1 })
		var u userAnswer
		w.call(t, w.admin, "GET", "/users/"+escaped, nil).is(t, http.StatusOK).into(t, &u)
		if u.Name != name {
			t.Errorf("%q became %q", name, u.Name)
		}
	}
}

// escapeName escapes all bytes except lower-case letters and digits.
func escapeName(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestPlainFormOfAnotherUsersPageChangesNothing(t *testing.T) {
	t.Parallel()
	c := newChooser(t, notifier.Settings{})
	touched := func(string, int64, string) (notifier.Badge, error) {
		t.Error("an inbox was changed")
		return notifier.Badge{}, nil
	}
	c.inbox.change = touched
	c.inbox.take = func(int64, string) (notifier.Entry, error) {
		_, err := touched("", 0, "")
		return notifier.Entry{}, err
	}
	c.signedIn(firefox)
	for address, body := range map[string]string{
		"/settings":       "theme=dark",
		"/settings/mute":  "type=like&muted=1",
		"/logout":         "everywhere=1",
		"/inbox/read-all": "upto=9",
		"/inbox/unread":   "keys=a%3Ab",
		"/inbox/read":     "key=a%3Ab",
		"/inbox/delete":   "key=a%3Ab",
		"/inbox/restore":  "key=a%3Ab",
		"/inbox/read?x":   "key=a%3Ab&unknown=1", // even if something else is wrong too
	} {
		r := c.postBody("alice", address, body+"&page_user=carol").wantStatus(t, http.StatusConflict)
		if got := r.text("[data-testid=failure]"); !strings.Contains(got, "You're now signed in as alice. Nothing was changed.") {
			t.Errorf("%s: the page says %q", address, got)
		}
		if r.count("h1") != 1 || r.count("[data-testid=failure] a[href='/inbox']") != 1 {
			t.Errorf("%s: no heading, or no link onward:\n%s", address, r.body)
		}
	}
	if len(c.ownSessions()) != 1 {
		t.Error("a user was signed out")
	}
	if muted, saved := c.muted(), c.user(alice.Seq).Settings; len(muted) != 0 || saved != (notifier.Settings{}) {
		t.Errorf("muted %v, saved %v", muted, saved)
	}
	w := newWorld(t, func(w *world) {
		w.sender.retract = func(int64) error {
			t.Error("a notice was retracted")
			return nil
		}
	})
	w.post("carol", "/staff/notices/5/retract", "page_user", "alice").wantStatus(t, http.StatusConflict)
}

func TestFormsNameThePagesUserAndWork(t *testing.T) {
	t.Parallel()
	c := newChooser(t, notifier.Settings{})
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			return notifier.Progress{Notice: notice(id, notifier.StateSent), Counted: true}, nil
		}
	})
	c.inbox.change = func(string, int64, string) (notifier.Badge, error) { return notifier.Badge{}, nil }
	c.inbox.look = func(int64, notifier.Query) (notifier.Page, error) {
		return notifier.Page{Entries: []notifier.Entry{entry(1, noon, false, false)}, Unread: 1, Ver: 9}, nil
	}
	c.mute("like")
	for _, test := range []struct {
		world               *world
		user, address, form string
	}{
		{c, "alice", "/settings?tab=appearance", "form[action='/settings']"},
		{c, "alice", "/settings", "form[action='/settings/mute']"},
		{c, "alice", "/settings?tab=account", "main form[action='/logout']"},
		{c, "alice", "/inbox?opened=0", "form[action='/inbox/read-all']"},
		{c, "alice", "/inbox?done=deleted&key=a:b", "[data-testid=done] form"},
		{w, "carol", "/staff/send", "#send"},
		{w, "carol", "/staff/notices/5", "[data-testid=retract] form"},
	} {
		r := test.world.get(test.user, test.address).wantStatus(t, http.StatusOK)
		if got := r.attr(test.form+" [name=page_user]", "value"); got != test.user || r.count(test.form) != 1 {
			t.Errorf("%s: %d forms %s, for user %q", test.address, r.count(test.form), test.form, got)
		}
	}
	c.post("alice", "/settings", "theme", "dark", "page_user", "alice").wantRedirect(t, "/settings?done=saved&tab=appearance")
	c.post("alice", "/settings", "theme", "dark", "page_user", "").wantRedirect(t, "/settings?done=saved&tab=appearance")
	c.postBody("alice", "/inbox/read", "key=a%3Ab&page_user=alice&page_user=carol").wantStatus(t, http.StatusConflict)
	c.postBody("alice", "/inbox/read", "key=a%3Ab&page_user=alice&page_user=alice").wantStatus(t, http.StatusUnprocessableEntity)
	if n := c.get("alice", "/inbox?opened=0").count("[data-testid=entry] [name=page_user]"); n != 0 {
		t.Errorf("the rows have %d such fields, which wastes bytes", n)
	}
}

func TestNoticeTypedByAnotherUserIsNeitherSentNorLost(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	for _, fields := range [][]string{goodForm, with(goodForm, "preview", "1"), with(goodForm, "confirm", "2")} {
		r := w.post("carol", "/staff/send", with(fields, "page_user", "dora")...).wantStatus(t, http.StatusConflict)
		r.wantText(t, "[data-testid=other-user] p", "You're now signed in as carol. Nothing was sent.")
		if r.attr("#send [name=page_user]", "value") != "carol" || r.attr("#title", "value") != "Hello" || r.attr("#link", "value") != "/photos/1" {
			t.Errorf("the form names the user %q and has the title %q", r.attr("#send [name=page_user]", "value"), r.attr("#title", "value"))
		}
		if r.attr("[autofocus]", "id") != "other-user" || r.count("[autofocus]") != 1 {
			t.Errorf("the focus is on %q", r.attr("[autofocus]", "id"))
		}
	}
	if len(sent) != 0 {
		t.Fatalf("sent %v", sent)
	}
	w.post("carol", "/staff/send", with(goodForm, "page_user", "carol")...).wantRedirect(t, "/staff/notices/42")
}

func TestLogoutWithAnEndedSessionSucceeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.sessions.signOut = func() error { return nil } })
	values := url.Values{"everywhere": {"1"}, "page_user": {"carol"}}
	r := httptest.NewRequest(http.MethodPost, "/logout", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w.do(r, "").wantRedirect(t, "/login?done=signed-out")
}

package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// land is a site of two instances. Its users sign in at one; the other shares their sessions.
type land struct {
	call     call
	one, two *running
	key      string
	admin    browser
}

func newLand(t *testing.T) *land {
	t.Helper()
	c := shared(t)
	return newLandOn(t, c, c.with("CARILLON_DATA_DIR", t.TempDir()))
}

// newLandOn returns a land whose instances have the environments of two calls.
func newLandOn(t *testing.T, c, other call) *land {
	t.Helper()
	must(t, c.typing("admin-secret").run(t.Context(), "user", "add", "admin", "--password-stdin", "--role", "staff"))
	l := &land{call: c, one: serve(t, c), two: serve(t, other)}
	l.key = strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "admin,read,send")).out)
	l.admin = visit(t, l.one.URL)
	l.admin.signIn(t, "admin", "admin-secret")
	return l
}

// user adds a user in the audience operator and signs them in. It returns their session at the
// first instance (here) and the same session at the other (there), which has a copy of it.
func (l *land) user(t *testing.T, name string, roles ...string) (here, there browser) {
	t.Helper()
	args := []string{"user", "add", name, "--password-stdin", "--audience", "operator"}
	for _, role := range roles {
		args = append(args, "--role", role)
	}
	must(t, l.call.typing("user-secret").run(t.Context(), args...))
	here = visit(t, l.one.URL)
	here.signIn(t, name, "user-secret")
	there = browser{here.Client, l.two.URL}
	there.get(t, "/inbox")
	return here, there
}

func (l *land) command(t *testing.T, args ...string) {
	t.Helper()
	must(t, l.call.run(t.Context(), args...))
}

func (l *land) api(t *testing.T, method, path, body string) {
	t.Helper()
	if status, answer := application(t, l.one, l.key, method, path, body); status >= http.StatusBadRequest {
		t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
}

// signals subscribes to the messages that are published to users' streams. Without it, a test that waits for a stream
// to end could also pass because of the check of all streams once a minute.
func signals(t *testing.T) (next func(what, prefix string)) {
	t.Helper()
	sub := redistest.Client(t).PSubscribe(t.Context(), t.Name()+":live:user_id:*")
	t.Cleanup(func() { _ = sub.Close() })
	if _, err := sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	return func(what, prefix string) {
		t.Helper()
		for {
			m, err := sub.ReceiveTimeout(t.Context(), testkit.Patience)
			if err != nil {
				t.Fatalf("%s: no %q was published: %v", what, prefix, err)
			}
			if m, ok := m.(*redis.Message); ok && strings.HasPrefix(m.Payload, prefix) {
				return
			}
		}
	}
}

// visits returns the status of a page, and whether the login page was returned instead.
func (b browser) visits(t *testing.T, path string) (status int, signedOut bool) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.base+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode, res.Request.URL.Path == "/login"
}

// following opens a stream and returns its events as `NAME DATA`. The channel is closed when the
// stream ends.
func (b browser) following(t *testing.T) <-chan string {
	t.Helper()
	lines := bufio.NewScanner(b.events(t))
	events := make(chan string, 100)
	go func() {
		defer close(events)
		var name, data string
		for lines.Scan() {
			field, value, _ := strings.Cut(lines.Text(), ": ")
			switch {
			case field == "event":
				name = value
			case field == "data":
				data = value
			case lines.Text() == "" && name != "":
				events <- name + " " + data
				name, data = "", ""
			}
		}
	}()
	waitFor(t, events, "the first badge", func(e string) bool { return strings.HasPrefix(e, "badge ") })
	return events
}

// waitFor reads events until one satisfies is, and returns those it has read.
func waitFor(t *testing.T, events <-chan string, what string, is func(string) bool) (seen []string) {
	t.Helper()
	return testkit.Until(t, what, func() ([]string, bool) {
		select {
		case e, open := <-events:
			if !open {
				t.Fatalf("the stream ended before %s; events were %q", what, seen)
			}
			seen = append(seen, e)
			return seen, is(e)
		default:
			return seen, false
		}
	})
}

// ends waits for the end of a stream, and fails the test if private data arrives before it.
func ends(t *testing.T, events <-chan string) {
	t.Helper()
	testkit.Until(t, "the stream ends", func() (last string, ended bool) {
		select {
		case e, open := <-events:
			if open && !strings.HasPrefix(e, "bye ") && !strings.HasPrefix(e, "badge ") {
				t.Errorf("before its end the stream had %q", e)
			}
			return e, !open
		default:
			return "", false
		}
	})
}

// Each way to end a session ends its streams everywhere, and no other user's.
func TestEndingASessionEndsItsStreamOnTheOtherInstance(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	_, bystander := l.user(t, "bystander")
	others := bystander.following(t)
	for name, c := range map[string]struct {
		do    func(name string, here browser)
		every bool // whether all sessions of the user end
	}{
		"sign-out":            {func(_ string, here browser) { here.post(t, "/logout", url.Values{}) }, false},
		"sign-out everywhere": {func(_ string, here browser) { here.post(t, "/logout", url.Values{"everywhere": {"1"}}) }, true},
		"password by command": {func(name string, _ browser) {
			must(t, l.call.typing("new-secret").run(t.Context(), "user", "passwd", name, "--password-stdin"))
		}, true},
		"deletion by command": {func(name string, _ browser) { l.command(t, "user", "delete", name) }, true},
		"deletion by api":     {func(name string, _ browser) { l.api(t, http.MethodDelete, "/users/"+url.PathEscape(name), "") }, true},
	} {
		here, there := l.user(t, name)
		second := visit(t, l.two.URL)
		second.signIn(t, name, "user-secret")
		cookie := visit(t, l.two.URL) // a copied cookie
		base, err := url.Parse(l.two.URL)
		if err != nil {
			t.Fatal(err)
		}
		cookie.Jar.SetCookies(base, there.Jar.Cookies(base))
		stream, other := there.following(t), second.following(t)
		published := signals(t)
		c.do(name, here)
		published(name, "E ")
		ends(t, stream)
		testkit.Eventually(t, name+": the session is over", func() bool { _, out := cookie.visits(t, "/inbox"); return out })
		if c.every {
			ends(t, other)
			continue
		}
		l.command(t, "send", "--to", name, "--type", "order", "--title", "Still here")
		waitFor(t, other, name+": the other session's notice", func(e string) bool { return strings.HasPrefix(e, "notice ") })
	}
	l.command(t, "send", "--to", "bystander", "--type", "order", "--title", "Still here")
	waitFor(t, others, "the notice of somebody else", func(e string) bool { return strings.HasPrefix(e, "notice ") })
}

// A user who moved no longer gets announcements to the old audience. Pages, streams and polls agree on their badge:
// its version has risen, so that no client keeps the old number.
func TestMovingAUserTakesEffectOnTheOtherInstance(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	_, there := l.user(t, "mover", "staff")
	announce := func(audience, title string) {
		t.Helper()
		l.command(t, "announce", "--audience", audience, "--title", title)
	}
	announce("customer", "To customers")
	for _, title := range []string{"One", "Two", "Three"} {
		announce("operator", title)
	}
	stream := there.following(t)
	type badge struct{ Unread, Announcements, AVer int64 }
	polled := func(s *running) (b badge) {
		t.Helper()
		_, answer := application(t, s, l.key, http.MethodGet, "/users/mover/badge", "")
		if err := json.Unmarshal([]byte(answer), &b); err != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		return b
	}
	testkit.Eventually(t, "all announcements are counted", func() bool { return polled(l.one).Announcements == 3 && polled(l.two).Announcements == 3 })
	before, published := polled(l.two), signals(t)
	l.api(t, http.MethodPut, "/users/mover", `{"audience":"customer"}`)
	published("the move", "M")
	var told badge
	waitFor(t, stream, "the number in the new audience", func(e string) bool {
		data, is := strings.CutPrefix(e, "badge ")
		return is && json.Unmarshal([]byte(data), &told) == nil && told.Announcements == 1
	})
	if told.AVer < before.AVer {
		t.Errorf("the stream has %+v after %+v: a page would keep the old number", told, before)
	}
	for _, s := range []*running{l.one, l.two} {
		testkit.Eventually(t, "a poll has the new number", func() bool { return polled(s).Announcements == 1 })
		if now := polled(s); now.AVer <= before.AVer {
			t.Errorf("a poll has %+v after %+v: an application would keep the old number", now, before)
		}
	}
	bell := there.get(t, "/inbox").Find("#bell")
	if got := bell.AttrOr("data-announcements", ""); got != "1" {
		t.Errorf("a new page shows %s announcements; want 1", got)
	}
	announce("operator", "For operators only")
	announce("customer", "For customers")
	for _, e := range waitFor(t, stream, "the announcement to customers", func(e string) bool { return strings.Contains(e, "For customers") }) {
		if strings.Contains(e, "operators only") {
			t.Errorf("the announcement to the old audience arrived: %s", e)
		}
	}
}

// An import cannot change roles or audiences, so other instances need no signal.
func TestAnImportChangesNoExistingUser(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.run(t.Context(), "user", "add", "bob", "--audience", "operator"))
	r := c.run(t.Context(), "user", "import", csvFile(t, "name,audience,roles\nbob,customer,staff\n"))
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.errors, "already exists", "nobody was added")
	wantWords(t, must(t, c.run(t.Context(), "user", "list")).out, "bob\toperator")
}

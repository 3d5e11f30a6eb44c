package api

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// followed is an open event stream.
type followed struct {
	header http.Header
	lines  *bufio.Scanner
}

type followedEvent struct{ name, data string }

// briefStreams ends event streams at once, for tests that wait for the end of every answer.
func briefStreams(c *Config) { c.Stream = briefStream{} }

type briefStream struct{}

func (briefStream) Serve(w http.ResponseWriter, _ *http.Request, _ notifier.Reader, _ notifier.StreamOf) error {
	w.Header().Set("Content-Type", "text/event-stream")
	_, err := io.WriteString(w, "event: bye\ndata: {}\n\n")
	return err
}

// follow opens the stream of a token's user.
func (w *world) follow(t *testing.T, token, path string, headers ...string) *followed {
	t.Helper()
	srv := httptest.NewServer(w.handler)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(func() { cancel(); srv.Close() })
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+prefix+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("status %d, %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	return &followed{res.Header, bufio.NewScanner(res.Body)}
}

// next returns the next event, or the zero value at the end of the stream.
func (f *followed) next(t *testing.T) (e followedEvent) {
	t.Helper()
	for f.lines.Scan() {
		field, value, _ := strings.Cut(f.lines.Text(), ": ")
		switch {
		case field == "event":
			e.name = value
		case field == "data":
			e.data = value
		case f.lines.Text() == "" && e.name != "":
			return e
		}
	}
	return followedEvent{}
}

// until skips to the next event with this name.
func (f *followed) until(t *testing.T, name string) followedEvent {
	t.Helper()
	for {
		e := f.next(t)
		if e.name == name {
			return e
		}
		if e.name == "" {
			t.Fatalf("the stream has ended without %s", name)
		}
	}
}

// ends waits until the stream says bye and ends.
func (f *followed) ends(t *testing.T) {
	t.Helper()
	f.until(t, "bye")
	if e := f.next(t); e != (followedEvent{}) {
		t.Errorf("after bye came %+v", e)
	}
}

func TestAUserFollowsTheirInboxByToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.follow(t, w.bob, "/me/events?visible=1", "Origin", "https://shop.example.com")
	if got := bob.header.Get("Access-Control-Allow-Origin"); got != "https://shop.example.com" {
		t.Errorf("pages of the app may not read the stream: %q", got)
	}
	if e := bob.next(t); e.name != "badge" {
		t.Fatalf("the stream begins with %+v", e)
	}
	erin := w.follow(t, w.token(t, "erin", nil), "/me/events")
	erin.until(t, "badge")
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["bob"]},"type":"order","subject":"6","scope":"berlin","title":"Order 6 is late","link":"/orders/6"}`).is(t, http.StatusAccepted)
	var got struct {
		Key, Type, Scope, Title, Link, Reason string
		ID, At                                int64
	}
	if err := json.Unmarshal([]byte(bob.until(t, "notice").data), &got); err != nil {
		t.Fatal(err)
	}
	var page meNotices
	w.call(t, w.bob, "GET", "/me/notices", nil).is(t, http.StatusOK).into(t, &page)
	if n := page.Notices[0]; got.At != n.At || got.ID != n.ID || got.Key != n.Key || got.Scope != "berlin" || got.Reason != "user" || got.Link != "/orders/6" {
		t.Errorf("the event is %+v, the row %+v", got, n)
	}
	if e := bob.until(t, "badge"); !strings.HasPrefix(e.data, `{"unread":1,`) {
		t.Errorf("the badge is %s", e.data)
	}
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["erin"]},"type":"order","title":"For Erin"}`).is(t, http.StatusAccepted)
	if e := erin.until(t, "notice"); !strings.Contains(e.data, "For Erin") {
		t.Errorf("the first notice on the stream of another user is %s", e.data)
	}
}

// Toasts go to streams that show them. A token that may only read takes none from its user.
func TestOnlyStreamsThatShowToastsGetThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := w.follow(t, w.bob, "/me/events") // the oldest and never visible: it gets toasts only because no other may
	all.until(t, "badge")
	support := w.follow(t, w.token(t, "bob", map[string]any{"scope": "read"}), "/me/events?visible=1")
	support.until(t, "badge")
	bell := w.follow(t, w.token(t, "bob", map[string]any{"iat": time.Now().Unix() - 5}), "/me/events?visible=1&toasts=0")
	bell.until(t, "badge")
	w.call(t, w.send, "POST", "/toasts", `{"target":{"users":["bob"]},"title":"Saved"}`).is(t, http.StatusAccepted)
	if e := all.until(t, "toast"); !strings.Contains(e.data, "Saved") {
		t.Errorf("the toast is %s", e.data)
	}
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["bob"]},"type":"order","title":"Order 6"}`).is(t, http.StatusAccepted)
	for name, f := range map[string]*followed{"a token that only reads": support, "a page without toasts": bell} {
		if e := f.next(t); e.name != "notice" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// instance returns the API of one more instance on the same databases.
func (w *world) instance(t *testing.T) *world {
	t.Helper()
	c := w.Config
	verifier := w.newVerifier(t)
	hub := w.newHub(verifier)
	c.Who, c.Stream = w.who(c, verifier), hub
	s, err := newServer(c)
	if err != nil {
		t.Fatal(err)
	}
	runUntilEnd(t, hub.Run)
	runUntilEnd(t, func(ctx context.Context) error { return verifier.Watch(ctx, hub.Recheck) })
	other := *w
	other.server, other.handler = s, s.middleware(s.mux)
	return &other
}

func TestStreamsOfTokensEndWithWhatTheyDependOn(t *testing.T) {
	t.Parallel()
	by := notifier.Actor{Ref: notifier.CommandRef("test")}
	for name, c := range map[string]struct {
		end  func(t *testing.T, w *world)
		code string // of the next request
	}{
		"the user is signed out": {func(t *testing.T, w *world) {
			w.call(t, w.admin, "POST", "/users/bob/sign-out", nil).is(t, http.StatusNoContent)
		}, "token_revoked"},
		"the user is deleted": {func(t *testing.T, w *world) {
			w.call(t, w.admin, "DELETE", "/users/bob", nil)
		}, "token_revoked"},
		"the app is revoked": {func(t *testing.T, w *world) {
			if _, err := w.apps.Revoke(t.Context(), by, "front"); err != nil {
				t.Fatal(err)
			}
		}, "token_invalid"},
		"the key is revoked": {func(t *testing.T, w *world) {
			kid, _, _ := strings.Cut(w.front.TokenKey, ".")
			id, _ := notifier.ParseKid(kid)
			if _, err := w.apps.RevokeKey(t.Context(), by, "front", id); err != nil {
				t.Fatal(err)
			}
		}, "token_invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			one, other := w.instance(t), w.instance(t)
			token := w.token(t, "bob", map[string]any{"iat": time.Now().Unix() - 2})
			here, there := one.follow(t, token, "/me/events"), other.follow(t, token, "/me/events")
			here.until(t, "badge")
			there.until(t, "badge")
			c.end(t, w)
			here.ends(t)
			there.ends(t)
			for _, on := range []*world{one, other} {
				testkit.Eventually(t, "the token is refused", func() bool {
					res := on.call(t, token, "GET", "/me/events", nil)
					return res.StatusCode == http.StatusUnauthorized && codeOf(t, res) == c.code
				})
			}
		})
	}
}

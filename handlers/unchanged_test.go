package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// visits is a world that counts how often the inbox is opened.
type visits struct {
	*world
	now    time.Time
	badge  notifier.Badge
	posts  notifier.OpenAnnouncements
	title  string
	opened int
}

func newVisits(t *testing.T) *visits {
	t.Helper()
	v := &visits{now: noon, badge: notifier.Badge{Ver: 100}, title: "First", posts: notifier.OpenAnnouncements{
		Items: []notifier.OpenAnnouncement{post(5, 1, true, false), post(6, 2, true, false), post(7, 2, false, true)}, Unread: 2, Read: 1, AVer: 900,
	}}
	v.world = newWorld(t, func(w *world) {
		w.config.Build, w.config.Devices = "one", &devices{}
		w.config.Now = func() time.Time { return v.now }
		w.inbox.badge = func(int64) (notifier.Badge, error) { return v.badge, nil }
		w.posts.list = func(notifier.Reader) (notifier.OpenAnnouncements, error) { return v.posts, nil }
		w.inbox.open = func(int64) (notifier.Page, error) {
			v.opened++
			e := entry(1, noon.Add(-time.Hour), true, false)
			e.Title, e.ExpiresAt = v.title, v.now.Add(time.Hour)
			page := notifier.Page{Entries: []notifier.Entry{e}, Ver: v.badge.Ver}
			if v.badge.Unread > 0 {
				page.Entries[0].New, page.Entries[0].Read, page.Opened = true, false, 1
				v.badge.Unread = 0
				v.badge.Ver++
				page.Ver = v.badge.Ver
			}
			return page, nil
		}
	})
	return v
}

// becomes changes the signed-in user or the session.
func (v *visits) becomes(u notifier.User, session string) []string {
	v.sessions.current = func(*http.Request) (notifier.Signed, bool, error) {
		return notifier.Signed{User: u, ID: session}, true, nil
	}
	return nil
}

// visit requests the inbox and checks the response.
func (v *visits) visit(t *testing.T, opened, status int, headers ...string) reply {
	t.Helper()
	v.opened = 0
	r := v.get("alice", "/inbox", headers...).wantStatus(t, status)
	if v.opened != opened {
		t.Errorf("opened %d times, want %d", v.opened, opened)
	}
	return r
}

func TestUnchangedInboxIsAnsweredWithoutRendering(t *testing.T) {
	t.Parallel()
	v := newVisits(t)
	first := v.visit(t, 1, http.StatusOK)
	tag := first.Header.Get("Etag")
	if tag == "" || first.Header.Get("Cache-Control") != "private, no-cache" {
		t.Fatalf("Etag %q, Cache-Control %q", tag, first.Header.Get("Cache-Control"))
	}
	again := v.visit(t, 1, http.StatusOK)
	if again.body != first.body || again.Header.Get("Etag") != tag {
		t.Error("the same page has another body or ETag")
	}
	held := v.visit(t, 0, http.StatusNotModified, "If-None-Match", `"other", W/`+tag)
	if held.body != "" || held.Header.Get("Etag") != tag {
		t.Errorf("304 with %q, %q", held.Header.Get("Etag"), held.body)
	}
	for _, wrong := range []string{`"x"`, "x", "", `""`, `"-"`, strings.TrimSuffix(tag, `"`), `"` + strings.Repeat("z", 5000) + `-zz"`} {
		v.visit(t, 1, http.StatusOK, "If-None-Match", wrong)
	}
}

func TestEveryVisibleChangeMakesANewPage(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(v *visits) []string{
		"something unread": func(v *visits) []string {
			v.badge = notifier.Badge{Unread: 1, Inbox: 1, Ver: 101}
			return nil
		},
		"unread, same version": func(v *visits) []string {
			v.badge = notifier.Badge{Unread: 1, Inbox: 1, Ver: 100}
			return nil
		},
		"a new version":               func(v *visits) []string { v.badge.Ver = 101; return nil },
		"a new day":                   func(v *visits) []string { v.now = noon.Add(12 * time.Hour); return nil },
		"an expired entry":            func(v *visits) []string { v.now = noon.Add(time.Hour); return nil },
		"another unread announcement": func(v *visits) []string { v.posts.Unread = 3; return nil },
		"another pinned one":          func(v *visits) []string { v.posts.Items[0].ID = 8; return nil },
		"another title on top":        func(v *visits) []string { v.posts.Items[0].Title = "Other"; return nil },
		"a pinned one less":           func(v *visits) []string { v.posts.Items[1].Pinned = false; return nil },
		"another language":            func(*visits) []string { return []string{"Accept-Language", "ja"} },
		"another time zone":           func(*visits) []string { return []string{"Cookie", "tz=Asia/Tokyo"} },
		"another session":             func(v *visits) []string { return v.becomes(alice, "another") },
		"another display name": func(v *visits) []string {
			u := alice
			u.Display = "Alice Liddell"
			return v.becomes(u, "session-of-alice")
		},
		"another build": func(v *visits) []string { v.config.Build = "two"; v.rebuild(); return nil },
	} {
		v := newVisits(t)
		tag := v.visit(t, 1, http.StatusOK).Header.Get("Etag")
		headers := change(v)
		v.title = name
		r := v.visit(t, 1, http.StatusOK, append(headers, "If-None-Match", tag)...)
		if r.Header.Get("Etag") == tag || !strings.Contains(r.text("h3"), name) {
			t.Errorf("%s: Etag %q, the page says %q", name, r.Header.Get("Etag"), r.text("h3"))
		}
	}
}

func TestInvisibleChangeMakesNoNewPage(t *testing.T) {
	t.Parallel()
	v := newVisits(t)
	tag := v.visit(t, 1, http.StatusOK).Header.Get("Etag")
	v.posts.AVer, v.posts.Read = 901, 0
	v.posts.Items = v.posts.Items[:2]
	v.visit(t, 0, http.StatusNotModified, "If-None-Match", tag)
}

func TestPageWithNewMarksIsForOneVisit(t *testing.T) {
	t.Parallel()
	v := newVisits(t)
	v.badge = notifier.Badge{Unread: 1, Inbox: 1, Ver: 101}
	r := v.visit(t, 1, http.StatusOK)
	if r.Header.Get("Etag") != "" || r.Header.Get("Cache-Control") != "no-store" || r.text(".mark") != "New" {
		t.Errorf("Etag %q, Cache-Control %q, mark %q", r.Header.Get("Etag"), r.Header.Get("Cache-Control"), r.text(".mark"))
	}
	held := []string{"Cookie", "carillon-new=" + r.freshCookie(t).Value}
	again := v.visit(t, 1, http.StatusOK, held...)
	if again.text(".mark") != "New" || again.Header.Get("Etag") == "" {
		t.Errorf("the next page of the visit has Etag %q, mark %q", again.Header.Get("Etag"), again.text(".mark"))
	}
	if kept := v.visit(t, 0, http.StatusNotModified, append(held, "If-None-Match", again.Header.Get("Etag"))...); kept.freshCookie(t).MaxAge != 1800 {
		t.Error("an unchanged page ends the visit")
	}
	if r = v.visit(t, 1, http.StatusOK, "If-None-Match", again.Header.Get("Etag")); r.text(".mark") != "" {
		t.Errorf("the next visit, by a browser that has lost the cookie, shows %q", r.text(".mark"))
	}
}

func TestTagOfAnotherUserIsNotAnsweredWith304(t *testing.T) {
	t.Parallel()
	v := newVisits(t)
	tag := v.visit(t, 1, http.StatusOK).Header.Get("Etag")
	v.title, v.opened = "Carol's", 0
	r := v.get("carol", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusOK)
	if r.text("h3 a") != "Carol's" || v.opened != 1 {
		t.Errorf("carol sees %q", r.text("h3 a"))
	}
}

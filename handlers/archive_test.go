package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/handlers"
	"github.com/carillonhq/carillon/notifier"
)

var errAway = fmt.Errorf("ask: %w", notifier.ErrUnavailable)

// storedInbox is alice's inbox in the archive.
type storedInbox struct {
	page notifier.Page
	err  error
	seen []notifier.Query
}

func (s *storedInbox) Look(_ context.Context, seq int64, q notifier.Query) (notifier.Page, error) {
	s.seen = append(s.seen, q)
	if seq != alice.Seq {
		return notifier.Page{}, s.err
	}
	return s.page, s.err
}

func (s *storedInbox) Badge(_ context.Context, seq int64) (notifier.Badge, error) {
	if seq != alice.Seq {
		return notifier.Badge{}, s.err
	}
	return notifier.Badge{Unread: s.page.Unread, Inbox: s.page.Unread, Ver: s.page.Ver}, s.err
}

// storedAnnouncements is the archive of a board's announcements.
type storedAnnouncements struct{ *board }

func (s storedAnnouncements) List(_ context.Context, r notifier.Reader) (notifier.OpenAnnouncements, error) {
	posts := s.list(r)
	posts.AVer = 0
	return posts, nil
}

func (s storedAnnouncements) Find(_ context.Context, r notifier.Reader, id int64) (notifier.OpenAnnouncement, error) {
	if p := s.of(r, id); p != nil {
		return *p, nil
	}
	return notifier.OpenAnnouncement{}, notifier.ErrNotFound
}

// lostAnnouncements is an archive that cannot be read.
type lostAnnouncements struct{}

func (lostAnnouncements) List(context.Context, notifier.Reader) (notifier.OpenAnnouncements, error) {
	return notifier.OpenAnnouncements{}, errAway
}

func (lostAnnouncements) Find(context.Context, notifier.Reader, int64) (notifier.OpenAnnouncement, error) {
	return notifier.OpenAnnouncement{}, errAway
}

// lostRedis is a board with an archive, whose Redis is unavailable while gone is true.
type lostRedis struct {
	*board
	stored *storedInbox
	gone   bool
}

func newLostRedis(t testing.TB, items ...notifier.OpenAnnouncement) *lostRedis {
	t.Helper()
	l := &lostRedis{board: newAnnouncements(t, items...), gone: true}
	l.stored = &storedInbox{page: notifier.Page{
		Entries: []notifier.Entry{entry(3, noon.Add(-time.Minute), false, false), entry(2, noon.AddDate(0, 0, -1), true, false)},
		Unread:  1, Ver: noon.Add(-20 * time.Minute).UnixMilli(), Older: 2,
	}}
	l.config.Archive = handlers.Archive{Inbox: l.stored, Announcements: storedAnnouncements{l.board}}
	away := func() error {
		if l.gone {
			return errAway
		}
		return nil
	}
	l.inbox.open = func(int64) (notifier.Page, error) { return l.stored.page, away() }
	l.inbox.look = func(int64, notifier.Query) (notifier.Page, error) { return l.stored.page, away() }
	l.inbox.badge = func(int64) (notifier.Badge, error) { return notifier.Badge{Inbox: 1, Unread: 1, Ver: 9}, away() }
	l.inbox.change = func(string, int64, string) (notifier.Badge, error) { return notifier.Badge{}, away() }
	list, find, change := l.posts.list, l.posts.find, l.posts.change
	l.posts.list = func(r notifier.Reader) (notifier.OpenAnnouncements, error) {
		if l.gone {
			return notifier.OpenAnnouncements{}, errAway
		}
		return list(r)
	}
	l.posts.find = func(r notifier.Reader, id int64) (notifier.OpenAnnouncement, error) {
		if l.gone {
			return notifier.OpenAnnouncement{}, errAway
		}
		return find(r, id)
	}
	l.posts.change = func(verb string, r notifier.Reader, id int64) (notifier.Badge, error) {
		if l.gone {
			return notifier.Badge{}, errAway
		}
		return change(verb, r, id)
	}
	l.rebuild()
	return l
}

func TestInboxIsReadableFromTheArchiveWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	l := newLostRedis(t, post(5, 1, true, false))
	for _, address := range []string{"/inbox", "/inbox?filter=unread", "/inbox?before=77&opened=3", "/inbox?done=deleted&key=like:photo:9&id=9&at=9"} {
		r := l.get("alice", address, "If-None-Match", `"x"`, "Cookie", "tz=Asia/Tokyo").wantStatus(t, http.StatusOK)
		r.wantText(t, "#inbox [data-testid=stale] p", "Reconnecting. Showing your inbox as of 20:40; you can read, but not change it yet.")
		if r.count("[data-testid=entry]") != 2 || r.count("[data-testid=entry][data-read='0'] .dot") != 1 {
			t.Errorf("%s shows %d rows", address, r.count("[data-testid=entry]"))
		}
		if n := r.count("main form, #pinned form"); n != 0 {
			t.Errorf("%s has %d forms, all of which would fail", address, n)
		}
		if got := r.attr("#stale", "data-part") + " " + r.attr("#stale", "data-address"); !strings.HasPrefix(got, "#inbox /inbox?") {
			t.Errorf("%s: the script polls %s", address, got)
		}
		if got := r.attr("[data-testid=bell]", "aria-label"); got != "Notifications: 2 unread, 1 of them an announcement" || r.attr("#pinned:not([hidden])", "data-id") != "5" {
			t.Errorf("%s: the bell is %q", address, got)
		}
		if r.Header.Get("Etag") != "" || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be cached: %v", address, r.Header)
		}
		if got := r.attr("a[rel=next]", "href"); !strings.Contains(got, "before=2") {
			t.Errorf("%s: Older links to %q", address, got)
		}
	}
	want := []notifier.Query{{}, {Unread: true}, {Before: 77, Opened: 3}, {}}
	for i, q := range want {
		if !reflect.DeepEqual(l.stored.seen[i], q) {
			t.Errorf("the archive got query %+v, want %+v", l.stored.seen[i], q)
		}
	}
	l.gone = false
	r := l.get("alice", "/inbox").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=stale]") != 0 || r.count("[data-testid=entry] form") == 0 || r.count("#pinned form") != 1 || r.count("#mark-all") != 1 {
		t.Error("Redis is back, but the page differs from before")
	}
}

func TestArchivedPageShowsWhenItWasLastComplete(t *testing.T) {
	t.Parallel()
	l := newLostRedis(t)
	said := func() string { return l.get("alice", "/inbox").text("[data-testid=stale]") }
	l.stored.page.Ver = noon.AddDate(0, 0, -3).UnixMilli()
	if got := said(); !strings.Contains(got, "as of 17 November 2026, 12:00 UTC") {
		t.Errorf("with only a stored change: %q", got)
	}
	l.stored.page.Ver = noon.Add(time.Hour).UnixMilli() // from a clock that was ahead
	if got := said(); !strings.Contains(got, "as of 12:00") {
		t.Errorf("with a version from the future: %q", got)
	}
	l.stored.page.Ver = 0
	if got := said(); !strings.Contains(got, "This is the last stored version.") {
		t.Errorf("with nothing known: %q", got)
	}
	l.gone = false
	l.get("alice", "/inbox")
	l.gone, l.stored.page.Ver = true, noon.AddDate(0, 0, -3).UnixMilli()
	if got := said(); !strings.Contains(got, "as of 12:00") {
		t.Errorf("just after Redis answered: %q", got)
	}
	for lang, want := range map[string]string{"ja": "12:00時点の受信トレイ", "zh-CN": "显示的是 12:00 时的收件箱", "zh-TW": "顯示的是 12:00 的收件匣"} {
		if got := l.get("alice", "/inbox", "Accept-Language", lang).text("[data-testid=stale]"); !strings.Contains(got, want) {
			t.Errorf("%s: %q", lang, got)
		}
	}
}

func TestAnnouncementsAreReadableFromTheArchiveWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	l := newLostRedis(t, post(5, 1, true, false), post(4, 30, false, true))
	r := l.get("alice", "/announcements").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=announcement-count]", "1 unread")
	if r.count("[data-testid=stale]") != 1 || r.count("[data-testid=announcement]") != 2 || r.count("main form") != 0 || r.count(".actions") != 0 {
		t.Errorf("the list:\n%s", r.text("main"))
	}
	r = l.get("alice", "/announcements/5").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "Post 5 <new>")
	if r.count("[data-testid=stale]") != 1 || r.count("main form") != 0 || r.attr("#announcement", "data-read") != "0" {
		t.Errorf("the page of one announcement:\n%s", r.text("main"))
	}
	l.get("alice", "/announcements/99").wantStatus(t, http.StatusNotFound)
	l.get("carol", "/announcements/5").wantStatus(t, http.StatusNotFound)
	if got := l.get("alice", "/announcements/pinned", "HX-Request", "true", "HX-Current-URL", "http://c.example/settings").wantStatus(t, 200); got.attr("#pinned", "data-id") != "5" {
		t.Error("the pinned announcement is missing")
	}
	l.wantDid(t)
	// The announcement was found but could not be marked read: it is shown anyway.
	l.posts.find = func(r notifier.Reader, id int64) (notifier.OpenAnnouncement, error) { return *l.of(r, id), nil }
	if r = l.get("alice", "/announcements/5").wantStatus(t, http.StatusOK); r.count("[data-testid=stale]") != 1 {
		t.Error("the page of an announcement that could not be marked does not say so")
	}
}

func TestPanelAndBellsShowTheArchiveWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	l := newLostRedis(t, post(5, 1, false, false))
	r := l.get("alice", "/inbox/panel", "HX-Request", "true").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=panel-stale]", "Reconnecting. This is as of 11:40.")
	if r.count("[data-testid=panel-entry]") != 3 || r.count("form") != 0 || r.count("[data-post='5']") != 1 {
		t.Errorf("the panel:\n%s", r.body)
	}
	if got := r.told(t); got.Unread != 2 || got.AVer != 0 || got.Ver != l.stored.page.Ver {
		t.Errorf("the script gets the badge %+v", got)
	}
	for address, status := range map[string]int{"/settings": 200, "/nowhere": 404} {
		if got := l.get("alice", address).wantStatus(t, status).attr("[data-testid=bell]", "aria-label"); got != "Notifications: 2 unread, 1 of them an announcement" {
			t.Errorf("%s: the bell is %q", address, got)
		}
	}
	l.get("carol", "/staff/notices").wantStatus(t, http.StatusOK)
	l.get("carol", "/staff/send").wantStatus(t, http.StatusOK)
}

func TestFailedActionsDuringAnOutageAreExplainedAndCanBeRetried(t *testing.T) {
	t.Parallel()
	l := newLostRedis(t, post(5, 1, false, false))
	back := "/inbox?filter=unread&before=12"
	r := l.post("alice", "/inbox/read", "key", `like:"photo<1>`, "back", back).wantStatus(t, http.StatusServiceUnavailable)
	r.wantText(t, "h1", "Not available right now")
	if r.Header.Get("Retry-After") == "" || r.attr("[data-testid=failure] a", "href") != back {
		t.Errorf("the page links back to %q", r.attr("[data-testid=failure] a", "href"))
	}
	l.gone = false
	l.submit("alice", r, "[data-testid=retry]").wantRedirect(t, "/inbox?before=12&done=read&filter=unread")
	l.gone = true
	r = l.postBody("alice", "/announcements/5/read", "back=https%3A%2F%2Fevil.example", "Referer", "http://c.example/announcements?after=3").wantStatus(t, 503)
	if got := r.attr("[data-testid=failure] a", "href"); got != "/announcements?after=3" {
		t.Errorf("the page links back to %q", got)
	}
	for _, referer := range []string{"", "::", "//evil.example", "http://c.example/\\evil"} {
		r = l.postBody("alice", "/announcements/5/read", "back=//evil.example", "Referer", referer).wantStatus(t, 503)
		if got := r.attr("[data-testid=failure] a", "href"); got != "/inbox" {
			t.Errorf("from %q the page links back to %q", referer, got)
		}
	}
}

func TestPageWithArchivedAnnouncementsIsNotCached(t *testing.T) {
	t.Parallel()
	l := newLostRedis(t, post(5, 1, true, false))
	l.stored.page.Unread = 0
	l.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{Ver: 50}, nil } // the inbox is on another node
	l.inbox.badge = func(int64) (notifier.Badge, error) { return notifier.Badge{Ver: 50}, nil }
	for range 2 {
		r := l.get("alice", "/inbox").wantStatus(t, http.StatusOK)
		if r.Header.Get("Etag") != "" || r.count("#pinned form") != 0 || r.attr("#pinned", "data-id") != "5" {
			t.Errorf("the page is cached: %q", r.Header.Get("Etag"))
		}
	}
}

func TestWithoutRedisAndArchivePagesFail(t *testing.T) {
	t.Parallel()
	l := newLostRedis(t)
	l.stored.err = errAway
	for _, address := range []string{"/inbox", "/inbox?filter=unread", "/inbox/panel"} {
		l.get("alice", address).wantStatus(t, http.StatusServiceUnavailable)
	}
	l.get("alice", "/settings").wantStatus(t, http.StatusOK)
	l.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{}, errors.New("secret") }
	l.get("alice", "/inbox").wantStatus(t, http.StatusInternalServerError)
	l.config.Archive.Announcements = lostAnnouncements{}
	l.rebuild()
	l.get("alice", "/announcements").wantStatus(t, http.StatusServiceUnavailable)
}

package handlers_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// wantSections checks the headings of a list, each with the keys of its rows.
func (r reply) wantSections(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, s := range r.page.Find("#list > section").EachIter() {
		line := []string{s.Find(".day h2").Text() + ":"}
		for _, row := range s.Find("[data-testid=entry]").EachIter() {
			line = append(line, row.AttrOr("data-key", ""))
		}
		got = append(got, strings.Join(line, " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the sections (-want +got):\n%s", diff)
	}
}

// newInbox is an inbox with two new entries, one that was read in the panel since the last opening, and an old one.
// Only the first opening finds something.
func newInbox(w *world) {
	ats := []time.Time{noon.Add(-time.Minute), noon.Add(-2 * time.Minute), noon.Add(-3 * time.Minute), noon.AddDate(0, 0, -1)}
	openings := 0
	w.inbox.open = func(int64) (notifier.Page, error) {
		page := notifier.Page{Ver: noon.UnixMilli()}
		for i, at := range ats {
			fresh := i < 2 && openings == 0
			page.Entries = append(page.Entries, entry(4-i, at, !fresh, fresh))
		}
		if openings++; openings == 1 {
			page.Turned, page.Opened = 2, noon.Add(-time.Hour).UnixMilli()
		}
		return page, nil
	}
}

// freshCookie returns the cookie that stores what is new, as the browser sends it.
func (r reply) freshCookie(t *testing.T) *http.Cookie {
	t.Helper()
	cookies := (&http.Response{Header: r.Header}).Cookies()
	i := slices.IndexFunc(cookies, func(c *http.Cookie) bool { return c.Name == "carillon-new" })
	if i < 0 {
		t.Fatal("the page sets no cookie for what is new")
	}
	return cookies[i]
}

const newAndOld = "New · 2: like:photo:4 like:photo:3"

func TestWhatIsNewStaysNewAcrossReloadsUntilItIsDismissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newInbox)
	r := w.get("alice", "/inbox")
	r.wantSections(t, newAndOld, "Today: like:photo:2", "Yesterday: like:photo:1")
	if got := r.attr("[data-fresh]", "data-fresh"); got != "2" {
		t.Errorf("scripts count %q rows", got)
	}
	c := r.freshCookie(t)
	if c.MaxAge != 1800 || c.Path != "/inbox" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie is %v", c)
	}
	held := c.Name + "=" + c.Value
	r = w.get("alice", "/inbox", "Cookie", held)
	r.wantSections(t, newAndOld, "Today: like:photo:2", "Yesterday: like:photo:1")
	r.wantText(t, "[data-testid=count]", "2 new")
	if again := r.freshCookie(t); again.MaxAge != 1800 || again.Value != c.Value {
		t.Errorf("the second page sets %v", again)
	}
	// Another user of this browser has nothing new.
	w.get("carol", "/inbox", "Cookie", held).wantSections(t, "Today: like:photo:4 like:photo:3 like:photo:2", "Yesterday: like:photo:1")
	gone := w.post("alice", "/inbox/seen", "back", "/inbox?opened=1&rows=60")
	gone.wantRedirect(t, "/inbox?opened=0&rows=60")
	gone = w.submit("alice", r, "[data-fresh] .day form")
	gone.wantRedirect(t, "/inbox?opened=0")
}

func TestADismissalDropsTheCookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newInbox)
	c := w.get("alice", "/inbox").freshCookie(t)
	r := w.postBody("alice", "/inbox/seen", "back=%2Finbox", "Cookie", c.Name+"="+c.Value)
	if dropped := r.freshCookie(t); dropped.MaxAge >= 0 || dropped.Path != c.Path {
		t.Errorf("the dismissal sets %v", dropped)
	}
}

func TestABrokenCookieShowsNothingNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newInbox)
	w.get("alice", "/inbox")
	for _, value := range []string{"", "x", "1", "1.2", "1.x.y", "1.-5.2", "." + strings.Repeat(".1", 200)} {
		r := w.get("alice", "/inbox", "Cookie", "carillon-new="+value).wantStatus(t, http.StatusOK)
		if r.count("[data-fresh]") != 0 {
			t.Errorf("%q shows %q as new", value, r.text("[data-fresh] h3"))
		}
	}
}

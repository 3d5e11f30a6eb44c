package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// entry returns an entry delivered at this time.
func entry(n int, at time.Time, read, fresh bool) notifier.Entry {
	return notifier.Entry{
		Key: fmt.Sprintf("like:photo:%d", n), NoticeID: int64(n), At: at.UnixMilli(), Read: read, New: fresh,
		Content: notifier.Content{
			Type: "like", Title: fmt.Sprintf("Photo %d <liked>", n), Body: "One\nTwo", Link: "/photos/1",
			CreatedAt: at, Reason: "role:picker",
		},
	}
}

func TestOpeningShowsNewEntriesAndTheBadgeAfterwards(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.open = func(seq int64) (notifier.Page, error) {
			if seq != alice.Seq {
				t.Errorf("opened the inbox of %d", seq)
			}
			return notifier.Page{
				Entries: []notifier.Entry{
					entry(4, noon.Add(-time.Minute), false, true),
					entry(3, noon.Add(-time.Hour), false, true),
					entry(2, noon.Add(-2*time.Hour), true, false),
					entry(1, noon.AddDate(0, 0, -1), true, false),
				},
				Ver: 99, Opened: 55, Older: 44,
			}, nil
		}
	})
	r := w.get("alice", "/inbox").wantStatus(t, http.StatusOK)
	r.wantText(t, "title", "Inbox · Carillon")
	r.wantText(t, "[data-testid=badge]", "0")
	if _, hidden := r.page.Find("[data-testid=badge]").Attr("hidden"); !hidden {
		t.Error("the badge is visible at 0")
	}
	var rows []string
	for _, e := range r.page.Find("[data-testid=entry]").EachIter() {
		rows = append(rows, e.AttrOr("data-key", "")+" "+e.AttrOr("data-read", "")+" "+e.Find(".mark").Text())
	}
	want := []string{"like:photo:4 0 New", "like:photo:3 0 New", "like:photo:2 1 ", "like:photo:1 1 "}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	r.wantText(t, "[data-testid=count]", "2 new")
	r.wantSections(t, "New · 2: like:photo:4 like:photo:3", "Today: like:photo:2", "Yesterday: like:photo:1")
	if got := r.attr("a[rel=next]", "href"); got != "/inbox?before=44&opened=55" {
		t.Errorf("Older links to %q", got)
	}
	if r.count("form[action='/inbox/read-all']:not([hidden])") != 0 {
		t.Error("everything is read, but Mark all as read is offered")
	}
}

func TestRowIsCompleteAndEscaped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.open = func(int64) (notifier.Page, error) {
			return notifier.Page{Entries: []notifier.Entry{entry(1, noon.Add(-time.Minute), false, true)}}, nil
		}
	})
	r := w.get("alice", "/inbox", "Cookie", "tz=Asia/Tokyo")
	row := r.page.Find("[data-testid=entry]")
	if link := row.Find("h3 a"); link.Text() != "Photo 1 <liked>" || link.AttrOr("href", "") != "/n/1" {
		t.Errorf("the title %q links to %q", link.Text(), link.AttrOr("href", ""))
	}
	if time := row.Find("time"); time.AttrOr("datetime", "") != "2026-11-20T20:59:00+09:00" || time.Text() != "20:59" {
		t.Errorf("the time is %q, %q", time.AttrOr("datetime", ""), time.Text())
	}
	if got := row.Find(".meta .why"); got.Text() != "picker" || got.AttrOr("title", "") != "You're in the group “picker”" {
		t.Errorf("the reason is %q, %q", got.Text(), got.AttrOr("title", ""))
	}
	for action, name := range map[string]string{
		"/inbox/unread": "Mark as unread: Photo 1 <liked>",
		"/inbox/delete": "Delete: Photo 1 <liked>",
	} {
		form := row.Find("form[method=post][action='" + action + "']")
		if form.Find("[name=key]").AttrOr("value", "") != "like:photo:1" || form.Find("button").AttrOr("aria-label", "") != name {
			t.Errorf("%s: %q, %q", action, form.Find("[name=key]").AttrOr("value", ""), form.Find("button").AttrOr("aria-label", ""))
		}
	}
}

func TestOnlyTheBareAddressOpensTheInbox(t *testing.T) {
	t.Parallel()
	opened := 0
	var looked []notifier.Query
	w := newWorld(t, func(w *world) {
		w.inbox.open = func(int64) (notifier.Page, error) {
			opened++
			return notifier.Page{Opened: 1}, nil
		}
		w.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
			looked = append(looked, q)
			return notifier.Page{Unread: 3, Ver: 9, Opened: q.Opened}, nil
		}
	})
	for _, address := range []string{
		"/inbox?before=12&opened=3", "/inbox?filter=unread", "/inbox?filter=unread&before=12", "/inbox?done=unread",
		"/inbox?opened=0", "/inbox?before=tampered&opened=x", "/inbox?before=-5", "/inbox?before=99999999999999999999",
	} {
		w.get("alice", address).wantStatus(t, http.StatusOK)
	}
	w.get("alice", "/inbox", "Sec-Purpose", "prefetch;prerender").wantStatus(t, http.StatusOK)
	w.do(httptest.NewRequest(http.MethodHead, "/inbox", nil), "alice").wantStatus(t, http.StatusOK)
	want := []notifier.Query{
		{Before: 12, Opened: 3},
		{Unread: true},
		{Unread: true, Before: 12},
		{},
		{},
		{},
		{},
		{},
		{},
		{},
	}
	if diff := cmp.Diff(want, looked); diff != "" || opened != 0 {
		t.Errorf("opened %d times, looked:\n%s", opened, diff)
	}
	w.get("alice", "/inbox")
	w.get("alice", "/inbox?utm=mail")
	if opened != 2 {
		t.Errorf("opened %d times, want 2", opened)
	}
}

func TestUnreadRowsAreMarkedAsSuchAndCanBeMarkedRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.look = func(int64, notifier.Query) (notifier.Page, error) {
			return notifier.Page{Entries: []notifier.Entry{entry(1, noon, false, false)}, Unread: 120, Ver: 99, Older: 7}, nil
		}
	})
	r := w.get("alice", "/inbox?filter=unread")
	r.wantText(t, "[data-testid=entry] .dot", "Unread")
	r.wantText(t, "[data-testid=badge]", "99+")
	r.wantText(t, "title", "(120) Inbox · Carillon")
	r.wantText(t, ".tabs [aria-current=page]", "Unread 120")
	if got := r.attr("[data-testid=bell]", "aria-label"); got != "Notifications: 120 unread" {
		t.Errorf("the bell is named %q", got)
	}
	if got := r.attr("form[action='/inbox/read-all'] [name=upto]", "value"); got != "99" {
		t.Errorf("Mark all as read sends %q", got)
	}
	if r.count("[data-testid=entry] form[action='/inbox/read']") != 1 {
		t.Error("an unread row has no Mark as read")
	}
	if got := r.attr("a[rel=next]", "href"); got != "/inbox?before=7&filter=unread" {
		t.Errorf("Older links to %q", got)
	}
}

func TestPageAfterAnActionHasAsManyRowsAsTheListBefore(t *testing.T) {
	t.Parallel()
	var limits []int
	w := newWorld(t, func(w *world) {
		w.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
			limits = append(limits, q.Limit)
			return notifier.Page{Entries: []notifier.Entry{entry(1, noon, true, false)}, Opened: q.Opened, Older: 7}, nil
		}
	})
	for _, address := range []string{"/inbox?opened=1", "/inbox?opened=1&rows=30", "/inbox?opened=1&rows=64", "/inbox?rows=9999", "/inbox?rows=-5"} {
		r := w.get("alice", address).wantStatus(t, http.StatusOK)
		if got := r.attr("#pager [rel=next]", "href") + r.attr("#filters a:nth-of-type(2)", "href"); strings.Contains(got, "rows") {
			t.Errorf("on %s other pages are linked as %s", address, got)
		}
		if got := r.attr("#bulk [name=back]", "value"); address == "/inbox?opened=1&rows=64" && got != address {
			t.Errorf("the form leads back to %s", got)
		}
	}
	if diff := cmp.Diff([]int{0, 0, 64, 500, 0}, limits); diff != "" {
		t.Error(diff)
	}
	w.inbox.take = func(int64, string) (notifier.Entry, error) { return entry(1, noon, true, false), nil }
	w.post("alice", "/inbox/delete", "key", "like:photo:1", "back", "/inbox?opened=1&rows=64").
		wantRedirect(t, "/inbox?done=deleted&key=like%3Aphoto%3A1&opened=1&rows=64")
}

func TestTabsOfTheInboxKeepTheSearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	tabs := func(address string) (hrefs []string) {
		r := w.get("alice", address)
		for i := 1; i <= 3; i++ {
			hrefs = append(hrefs, r.attr(fmt.Sprintf("#filters a:nth-of-type(%d)", i), "href"))
		}
		return hrefs
	}
	for address, want := range map[string][]string{
		"/inbox":                                  {"/inbox", "/inbox?filter=unread", "/inbox?filter=archived"},
		"/inbox?filter=unread&before=12":          {"/inbox", "/inbox?filter=unread", "/inbox?filter=archived"},
		"/inbox?q=late&type=order.late":           {"/inbox?q=late&type=order.late", "/inbox?filter=unread&q=late&type=order.late", "/inbox?filter=archived&q=late&type=order.late"},
		"/inbox?filter=archived&q=late&before=12": {"/inbox?q=late", "/inbox?filter=unread&q=late", "/inbox?filter=archived&q=late"},
	} {
		if got := tabs(address); !slices.Equal(got, want) {
			t.Errorf("on %s the tabs link to %q, want %q", address, got, want)
		}
	}
}

func TestEmptyInboxExplainsItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.get("alice", "/inbox").wantText(t, "[data-testid=empty] h2", "No notifications yet")
	w.get("alice", "/inbox?filter=unread").wantText(t, "[data-testid=empty] h2", "No unread notifications")
	w.get("alice", "/inbox?before=3").wantText(t, "[data-testid=empty] h2", "Nothing older")
	w.get("alice", "/inbox", "Accept-Language", "ja").wantText(t, "[data-testid=empty] h2", "通知はまだありません")
}

func TestUnsafeLinkOfANoticeIsText(t *testing.T) {
	t.Parallel()
	var bad []notifier.Entry
	for i, link := range []string{"//evil.example", "/\\evil.example", "javascript:alert(1)", "http://plain.example", "https://u@evil.example"} {
		e := entry(i, noon, true, false)
		e.Link = link
		bad = append(bad, e)
	}
	w := newWorld(t, func(w *world) {
		w.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{Entries: bad}, nil }
	})
	r := w.get("alice", "/inbox")
	if r.count("[data-testid=entry]") != len(bad) || r.count("[data-testid=entry] a") != 0 {
		t.Errorf("%d rows, %d links", r.count("[data-testid=entry]"), r.count("[data-testid=entry] a"))
	}
}

func TestActionReturnsToItsPageWithAMessage(t *testing.T) {
	t.Parallel()
	var did []string
	w := newWorld(t, func(w *world) {
		w.inbox.change = func(verb string, seq int64, arg string) (notifier.Badge, error) {
			did = append(did, fmt.Sprint(verb, " ", seq, " ", arg))
			return notifier.Badge{}, nil
		}
	})
	w.post("alice", "/inbox/read", "key", "a:b").wantRedirect(t, "/inbox?done=read")
	w.post("alice", "/inbox/unread", "key", "a:b", "back", "/inbox?before=12&opened=3").
		wantRedirect(t, "/inbox?before=12&done=unread&opened=3")
	w.post("alice", "/inbox/read-all", "upto", "99", "back", "/inbox?filter=unread").
		wantRedirect(t, "/inbox?done=read-all&filter=unread")
	for _, back := range []string{"https://evil.example/inbox?before=1", "//evil.example/inbox", "/settings", "/inbox/../login", "%zz"} {
		w.post("alice", "/inbox/read", "key", "a:b", "back", back).wantRedirect(t, "/inbox?done=read")
	}
	if want := []string{"read 1 a:b", "unread 1 a:b", "upto 1 99"}; !slices.Equal(did[:3], want) {
		t.Errorf("did %v", did)
	}
	w.get("alice", "/inbox?done=read-all").wantText(t, "[data-testid=done]", "Marked all as read.")
	w.get("alice", "/inbox?done=%3Cb%3E").wantText(t, "[data-testid=done]", "")
}

func TestKeyOfAnotherUserIs404(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.change = func(string, int64, string) (notifier.Badge, error) {
			return notifier.Badge{}, fmt.Errorf("mark: %w", notifier.ErrNotFound)
		}
		w.inbox.take = func(int64, string) (notifier.Entry, error) { return notifier.Entry{}, notifier.ErrNotFound }
		w.inbox.restore = func(int64, string) error { return notifier.ErrNotFound }
	})
	for _, verb := range []string{"read", "unread", "delete", "restore"} {
		w.post("alice", "/inbox/"+verb, "key", "a:b").wantStatus(t, http.StatusNotFound)
	}
}

func TestPageFullOfNewRowsCountsTheNewOnesOnAllPages(t *testing.T) {
	t.Parallel()
	var list []notifier.Entry
	for i := range 30 {
		list = append(list, entry(i, noon.Add(-time.Duration(i)*time.Minute), false, true))
	}
	w := newWorld(t, func(w *world) {
		w.inbox.open = func(int64) (notifier.Page, error) {
			return notifier.Page{Entries: list, Turned: 100, Ver: 99, Opened: 55, Older: list[29].At}, nil
		}
	})
	w.get("alice", "/inbox").wantText(t, "[data-testid=count]", "100 new")
}

func TestARowShowsTheSendingAppAndLinksToItsPages(t *testing.T) {
	t.Parallel()
	of, plain := entry(1, noon, true, false), entry(2, noon, true, false)
	of.App, of.Link = "shop", "http://localhost:3000/orders/7" // an app in development
	w := newWorld(t, func(w *world) {
		w.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{Entries: []notifier.Entry{of, plain}}, nil }
	})
	r := w.get("alice", "/inbox")
	r.wantText(t, "[data-id='1'] .from", "Sent by shop")
	if r.count("[data-id='1'] a") != 1 || r.count("[data-id='2'] .from") != 0 {
		t.Errorf("the rows have %d links and %d senders", r.count("[data-id='1'] a"), r.count("[data-id='2'] .from"))
	}
}

package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestBellCountsBothHalvesOnEveryPage(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, false, false), post(9, 2, false, true))
	b.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{Unread: 2, Ver: 50}, nil }
	b.inbox.look = func(int64, notifier.Query) (notifier.Page, error) { return notifier.Page{Unread: 2, Ver: 50}, nil }
	for address, status := range map[string]int{
		"/inbox": 200, "/inbox?filter=unread": 200, "/settings": 200, "/announcements": 200, "/announcements/9": 200, "/nowhere": 404,
	} {
		r := b.get("alice", address).wantStatus(t, status)
		if got := r.attr("[data-testid=bell]", "aria-label"); got != "Notifications: 3 unread, 1 of them an announcement" || r.text("[data-testid=badge]") != "3" || !strings.HasPrefix(r.text("title"), "(3) ") || !strings.HasSuffix(r.attr("link[rel=icon]", "href"), "/bell-dot.svg") {
			t.Errorf("%s: the bell is %q with badge %q, the title %q, the icon %q", address, got, r.text("[data-testid=badge]"), r.text("title"), r.attr("link[rel=icon]", "href"))
		}
		for name, want := range map[string]string{"data-inbox": "2", "data-announcements": "1", "data-ver": "50", "data-aver": "900"} {
			if got := r.attr("#bell", name); got != want {
				t.Errorf("%s: %s is %q, want %q", address, name, got, want)
			}
		}
		r.wantText(t, "#announcements-count:not([hidden])", "1 1 unread")
		if got := r.attr("nav [data-go=a]", "href"); got != "/announcements" {
			t.Errorf("%s: the keys g a lead to %q", address, got)
		}
	}
	b.get("alice", "/inbox").wantText(t, "[data-testid=count]", "2 unread") // its own
	r := b.get("alice", "/inbox", "HX-Request", "true")
	if got := r.told(t); got.Unread != 3 || got.Inbox != 2 || got.Announcements != 1 || got.AVer != 900 || got.Ver != 50 {
		t.Errorf("a script gets %+v", got)
	}
}

func TestPagesWithoutAnnouncementsShowTheRest(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false))
	b.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{Ver: 50}, nil }
	tag := b.get("alice", "/inbox").Header.Get("Etag")
	b.err = fmt.Errorf("list: %w", notifier.ErrUnavailable)
	r := b.get("alice", "/settings").wantStatus(t, http.StatusOK)
	if got := r.attr("[data-testid=bell]", "aria-label"); got != "Notifications: 2 unread" || r.attr("#bell", "data-aver") != "0" || r.count("#pinned:not([hidden])") != 0 {
		t.Errorf("the bell is %q", got)
	}
	for range 2 {
		r = b.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusOK)
		if r.Header.Get("Etag") != "" || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("an incomplete page is cached: %q", r.Header.Get("Etag"))
		}
	}
	b.get("alice", "/inbox/panel").wantStatus(t, http.StatusOK)
	b.err, b.inbox.badge = nil, func(int64) (notifier.Badge, error) { return notifier.Badge{}, errors.New("away") }
	r = b.get("alice", "/settings").wantStatus(t, http.StatusOK)
	if got := r.attr("[data-testid=bell]", "aria-label"); got != "Notifications" || r.attr("#pinned:not([hidden])", "data-id") != "5" || !strings.HasSuffix(r.attr("link[rel=icon]", "href"), "/bell.svg") {
		t.Errorf("without the inbox half the bell is %q", got)
	}
}

func TestPanelHasUnreadAnnouncementsAmongItsRows(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, false, false), post(6, 30, false, false), post(7, 2, false, true))
	var asked []notifier.Query
	b.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
		asked = append(asked, q)
		return notifier.Page{Entries: []notifier.Entry{
			entry(2, noon, false, false), entry(1, noon.Add(-24*time.Hour), false, false),
		}, Unread: 2, Ver: 77}, nil
	}
	for i, address := range []string{"/inbox/panel", "/inbox/panel?filter=unread"} {
		r := b.get("alice", address, "HX-Request", "true").wantStatus(t, http.StatusOK)
		var order []string
		for _, row := range r.page.Find("[data-testid=panel-entry]").EachIter() {
			order = append(order, row.AttrOr("data-key", "")+row.AttrOr("data-post", ""))
		}
		if got := strings.Join(order, " "); got != "like:photo:2 5 like:photo:1 6" {
			t.Errorf("%s has the rows %q", address, got)
		}
		r.wantText(t, "[data-post='5'] a[href='/announcements/5']", "Post 5 <new>")
		if got := r.told(t); got.Announcements != 2 || asked[i].Unread != (i == 1) {
			t.Errorf("%s: the script gets %+v, the inbox was asked %+v", address, got, asked[i])
		}
		if got := r.page.Find(".tab").Eq(i).AttrOr("aria-current", ""); got != "page" {
			t.Errorf("%s: its tab is not the current one", address)
		}
	}
	b.items[0].Read, b.items[1].Read = true, true
	if b.get("alice", "/inbox/panel").count("[data-post]") != 0 {
		t.Error("the panel has read announcements")
	}
	b.get("alice", "/keys").wantText(t, ".keys div:contains('Go to the announcements') dd", "ga")
}

func TestPanelIsNeverFullOfAnnouncements(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t)
	for id := range int64(8) {
		b.items = append(b.items, post(id+1, 30, false, false))
	}
	b.inbox.look = func(int64, notifier.Query) (notifier.Page, error) {
		page := notifier.Page{Ver: 77}
		for id := range int64(10) {
			page.Entries = append(page.Entries, entry(int(id)+1, noon, true, false))
		}
		return page, nil
	}
	r := b.get("alice", "/inbox/panel", "HX-Request", "true")
	if r.count("[data-post]") != 5 || r.count("[data-key]") != 5 {
		t.Errorf("%d announcements and %d notices", r.count("[data-post]"), r.count("[data-key]"))
	}
	r.wantText(t, "#panel-announcements a[href='/announcements']", "8 unread announcements")
}

func TestTheTabUnreadOfThePanelIsEmptyOnlyWhenBothHalvesAre(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, false, false))
	b.inbox.look = func(int64, notifier.Query) (notifier.Page, error) { return notifier.Page{Ver: 77}, nil }
	b.inbox.change = func(string, int64, string) (notifier.Badge, error) { return notifier.Badge{}, nil }
	r := b.get("alice", "/inbox/panel?filter=unread", "HX-Request", "true")
	if r.count("[data-testid=empty]") != 0 || r.count("[data-post]") != 1 {
		t.Errorf("with an unread announcement:\n%s", r.body)
	}
	r = b.script("alice", "/inbox/read-all", "panel", "upto=77&announcements=5&back=%2Finbox%3Ffilter%3Dunread")
	if !strings.HasSuffix(r.text("[data-testid=empty] p:not([hidden])"), "You're all caught up.") || r.count("#panel-unread[aria-current]") != 1 || r.count("#done form") != 1 {
		t.Errorf("after Mark all as read:\n%s", r.body)
	}
}

func TestPinnedAnnouncementIsOnEveryPageUntilRead(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(6, 2, true, true), post(7, 3, true, false), post(8, 4, true, false), post(9, 5, false, false))
	for address, status := range map[string]int{"/inbox": 200, "/inbox?filter=unread": 200, "/settings": 200, "/announcements?after=5": 200, "/nowhere": 404} {
		r := b.get("alice", address).wantStatus(t, status)
		r.wantText(t, "[data-testid=pinned]:not([hidden]) a[href='/announcements/5']", "Post 5 <new>")
		r.wantText(t, "#pinned a[href='/announcements']", "and 2 more")
		if got := r.attr("#pinned button", "aria-label"); got != "Dismiss: Post 5 <new>" || r.count("#pinned button") != 1 {
			t.Errorf("%s: the dismiss button is named %q", address, got)
		}
		if r.count("#pinned") != 1 || r.count("header + #pinned + main") != 1 {
			t.Errorf("%s: the banner is in another place", address)
		}
	}
	// The list starts with the pinned announcement, so it has no banner.
	for _, address := range []string{"/announcements", "/announcements?done=read"} {
		if r := b.get("alice", address); r.count("header + #pinned[hidden] + main") != 1 || r.count("#pinned *") != 0 || r.attr(".row", "data-id") != "5" {
			t.Errorf("%s: it is shown twice", address)
		}
	}
	if r := b.get("alice", "/announcements/5"); r.attr("#pinned", "data-id") != "7" {
		t.Errorf("on its own page %q is pinned", r.attr("#pinned", "data-id"))
	}
	b.get("alice", "/announcements/7")
	r := b.get("alice", "/announcements/8", "Sec-Purpose", "prefetch")
	if r.count("#pinned[hidden]") != 1 {
		t.Error("the last one is pinned on its own page")
	}
	if b.get("", "/login").count("#pinned") != 0 {
		t.Error("the login page has a pinned announcement")
	}
	if r = b.get("carol", "/settings"); r.count("#pinned[hidden]") != 1 || r.count("#pinned *") != 0 {
		t.Error("carol sees an announcement for alice")
	}
}

func TestPinnedAnnouncementIsDismissedWithoutScript(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/settings", "/inbox?filter=unread", "/announcements?after=5", "/inbox?opened=3&before=12"} {
		b := newAnnouncements(t, post(5, 1, true, false))
		b.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
			return notifier.Page{Opened: q.Opened, Ver: 50}, nil
		}
		to := b.submit("alice", b.get("alice", address), "#pinned form").wantStatus(t, http.StatusSeeOther)
		b.wantDid(t, "read 5")
		r := b.get("alice", to.Header.Get("Location")).wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=done] p", "Marked as read.")
		if r.count("#pinned[hidden]") != 1 {
			t.Errorf("%s: the banner is still there", to.Header.Get("Location"))
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(address, "/inbox?"), "&") {
			if !strings.Contains(to.Header.Get("Location"), part) {
				t.Errorf("the form on %s returns to %s", address, to.Header.Get("Location"))
			}
		}
	}
	// A form on the opened inbox returns without opening it again.
	b := newAnnouncements(t, post(5, 1, true, false))
	b.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{Opened: 33, Ver: 50}, nil }
	b.submit("alice", b.get("alice", "/inbox"), "#pinned form").wantRedirect(t, "/inbox?done=read&opened=33")
	// The response to a form, or a page with an unusual address, returns to the list.
	for _, r := range []reply{
		b.post("alice", "/settings", "theme", "pink"), b.post("alice", "/inbox/nothing"), b.get("alice", "/"+strings.Repeat("x", 2000)), b.get("alice", "/%5Cevil.example"),
	} {
		if got := r.attr("#pinned [name=back]", "value"); r.count("#pinned form") == 1 && got != "/announcements" {
			t.Errorf("the form returns to %q", got)
		}
	}
}

func TestScriptDismissesInPlace(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(6, 2, true, false))
	on := func(page string) []string {
		return []string{"HX-Request", "true", "HX-Target", "pinned", "HX-Current-URL", "http://c.example" + page}
	}
	r := b.postBody("alice", "/announcements/5/read", "back=%2Fsettings", on("/settings?done=saved")...).wantStatus(t, http.StatusOK)
	if r.attr("#pinned:not([hx-swap-oob])", "data-id") != "6" || r.attr("#pinned [name=back]", "value") != "/settings" || r.count("#a5, #announcement-count") != 0 {
		t.Errorf("the next pinned announcement:\n%s", r.body)
	}
	r.wantText(t, "#done[hx-swap-oob=true] p", "Marked as read.")
	if got := r.told(t); got.Announcements != 1 || got.AVer != 901 {
		t.Errorf("the script gets %+v", got)
	}
	r = b.postBody("alice", "/announcements/6/read", "", on("/announcements")...).wantStatus(t, http.StatusOK)
	if r.count("#pinned[hidden]") != 1 || r.attr("#a6[hx-swap-oob=true]", "data-read") != "1" {
		t.Errorf("the list below is not updated:\n%s", r.body)
	}
	r.wantText(t, "#announcement-count[hx-swap-oob=true]", "")
}

func TestScriptAsksForThePinnedAnnouncement(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(6, 2, true, false))
	for page, want := range map[string]string{"/settings": "5", "/announcements/5": "6", "/announcements/6?done=unread": "5", "": "5", "/announcements": "", "/announcements?after=5": "5"} {
		r := b.get("alice", "/announcements/pinned", "HX-Request", "true", "HX-Current-URL", "http://c.example"+page).wantStatus(t, http.StatusOK)
		if got := r.attr("#pinned", "data-id"); got != want || r.count("#pinned[hidden]") == 1 != (want == "") || r.count("header, h1") != 0 {
			t.Errorf("on %s %q is pinned, want %q", page, got, want)
		}
	}
	b.get("alice", "/announcements/pinned").wantRedirect(t, "/announcements")
	b.do(httptest.NewRequest(http.MethodHead, "/announcements/pinned", nil), "alice").wantRedirect(t, "/announcements")
	b.wantDid(t)
}

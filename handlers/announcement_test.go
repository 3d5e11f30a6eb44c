package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestAnnouncementIsShownInFullAndMarkedRead(t *testing.T) {
	t.Parallel()
	one := post(5, 1, true, false)
	one.Body = "# Head\n\nOne *word* and [a link](https://shop.example/a), [another](https://evil.example/) <script>x</script>"
	b := newAnnouncements(t, one, post(9, 2, false, false))
	b.config.LinkHosts = []string{"shop.example"}
	b.rebuild()
	r := b.get("alice", "/announcements/5").wantStatus(t, http.StatusOK)
	b.wantDid(t, "read 5")
	r.wantText(t, "h1", "Post 5 <new>")
	r.wantText(t, "title", "(3) Post 5 <new> · Carillon") // the number after reading
	if got := r.attr("[data-testid=bell]", "aria-label"); got != "Notifications: 3 unread, 1 of them an announcement" {
		t.Errorf("the bell is named %q", got)
	}
	r.wantText(t, "[data-testid=badge]", "3")
	r.wantText(t, "[data-testid=announcement-body] h2", "Head")
	r.wantText(t, "[data-testid=announcement-body] p", "One word and a link, another <script>x</script>")
	if r.count("[data-testid=announcement-body] a[href='https://shop.example/a'][rel='nofollow noopener']:not([target])") != 1 || r.count("[data-testid=announcement-body] a") != 1 {
		t.Errorf("the links of the body:\n%s", r.body)
	}
	r.wantText(t, ".meta", "Pinned 11:00 · until 30 Nov")
	if got := r.attr("[data-testid=window] > span:first-child time", "title"); got != "20 Nov 2026, 11:00 UTC" {
		t.Errorf("it opens at %q", got)
	}
	if got := r.attr("[data-testid=window] > span:last-child time", "title"); got != "30 Nov 2026, 12:00 UTC" {
		t.Errorf("it closes at %q", got)
	}
	r.wantText(t, "a.button[href='/news/1']", "Learn more")
	if r.attr("#announcement", "data-read") != "1" || r.count("#announcement [data-act]") != 1 || r.count(".back a[href='/announcements']") != 1 {
		t.Errorf("the page:\n%s", r.body)
	}
	b.get("alice", "/announcements/5").wantStatus(t, http.StatusOK)
	b.wantDid(t) // already read
}

func TestPicturesInTheTextAreShownFromAllowedHosts(t *testing.T) {
	t.Parallel()
	one := post(5, 1, false, false)
	one.Body = "![The plan](https://eu.cdn.example/plan.png)\n\n![Another](https://evil.example/x.png)"
	b := newAnnouncements(t, one)
	b.config.ImageHosts = []string{"cdn.example"}
	b.rebuild()
	r := b.get("alice", "/announcements/5").wantStatus(t, http.StatusOK)
	const picture = "[data-testid=announcement-body] img"
	if r.count(picture) != 1 || r.attr(picture, "src") != "https://eu.cdn.example/plan.png" || r.attr(picture, "alt") != "The plan" ||
		r.attr(picture, "loading") != "lazy" || r.attr(picture, "referrerpolicy") != "no-referrer" {
		t.Errorf("the pictures of the body:\n%s", r.body)
	}
	r.wantText(t, "[data-testid=announcement-body] p:last-child", "Another")
	if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "https://*.cdn.example") {
		t.Errorf("the policy is %q", policy)
	}
	b.get("alice", "/announcements").wantStatus(t, http.StatusOK).wantText(t, "[data-testid=announcement] .body", "The plan Another")
}

func TestTheLinksOfAnAppsAnnouncementLeadToItsPages(t *testing.T) {
	t.Parallel()
	one := post(5, 1, true, false)
	one.App, one.Body = "shop", "See [here](/orders/7)."
	b := newAnnouncements(t, one)
	b.haveApp(notifier.App{Name: "shop", Audience: 3, AppPlaces: notifier.AppPlaces{Base: "https://shop.example/app"}})
	r := b.get("alice", "/announcements/5").wantStatus(t, http.StatusOK)
	if got := r.attr("[data-testid=announcement-body] a", "href"); got != "https://shop.example/app/orders/7" {
		t.Errorf("the link of the body leads to %q", got)
	}
}

func TestOnlyADeliberateVisitMarksRead(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false))
	b.do(httptest.NewRequest(http.MethodHead, "/announcements/5", nil), "alice").wantStatus(t, http.StatusOK)
	for _, headers := range [][]string{{"Sec-Purpose", "prefetch"}, {"Sec-Purpose", "prefetch;prerender"}, {"Purpose", "prefetch"}, {"X-Moz", "prefetch"}} {
		r := b.get("alice", "/announcements/5", headers...).wantStatus(t, http.StatusOK)
		if r.attr("#announcement", "data-read") != "0" || r.count("#announcement [data-act=read]") != 1 {
			t.Error("a prefetched page says that the announcement is read")
		}
	}
	b.get("alice", "/announcements/5?done=unread").wantStatus(t, http.StatusOK)
	b.get("alice", "/announcements").wantStatus(t, http.StatusOK)
	b.get("alice", "/inbox/panel").wantStatus(t, http.StatusOK)
	b.wantDid(t)
}

func TestMarkedUnreadItStaysUnreadOnItsPage(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, false, false))
	page := b.get("alice", "/announcements/5")
	to := b.submit("alice", page, "#announcement form")
	to.wantRedirect(t, "/announcements/5?done=unread")
	b.wantDid(t, "read 5", "unread 5")
	page = b.get("alice", to.Header.Get("Location"))
	page.wantText(t, "[data-testid=done] p", "Marked as unread.")
	page.wantText(t, "[data-testid=badge]", "3")
	b.wantDid(t)
	b.submit("alice", page, "#announcement form").wantRedirect(t, "/announcements/5?done=read")
	b.wantDid(t, "read 5")
}

func TestAnnouncementNotOpenToTheReaderIs404(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false))
	b.get("carol", "/announcements/5").wantStatus(t, http.StatusNotFound)
	b.post("carol", "/announcements/5/read").wantStatus(t, http.StatusNotFound)
	b.post("carol", "/announcements/5/unread").wantStatus(t, http.StatusNotFound)
	b.get("alice", "/announcements/6").wantStatus(t, http.StatusNotFound)
	for _, id := range []string{"0", "-1", "9223372036854775808", "05", "+5", "5%20", "x", strings.Repeat("5", 10000)} {
		b.get("alice", "/announcements/"+id).wantStatus(t, http.StatusNotFound)
		b.post("alice", "/announcements/"+id+"/read").wantStatus(t, http.StatusNotFound)
		b.post("alice", "/announcements/"+id+"/unread").wantStatus(t, http.StatusNotFound)
	}
	b.wantDid(t)
	b.post("alice", "/announcements/5").wantStatus(t, http.StatusMethodNotAllowed)
	b.get("alice", "/announcements/5/read").wantStatus(t, http.StatusMethodNotAllowed)
	b.get("alice", "/announcements/read-all").wantStatus(t, http.StatusMethodNotAllowed)
}

func TestAnnouncementClosedWhileOpeningIs404(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false))
	b.posts.change = func(string, notifier.Reader, int64) (notifier.Badge, error) {
		return notifier.Badge{}, notifier.ErrNotFound
	}
	b.get("alice", "/announcements/5").wantStatus(t, http.StatusNotFound)
}

func TestUnsafeLinkGetsNoButton(t *testing.T) {
	t.Parallel()
	one := post(5, 1, false, true)
	for _, one.Link = range []string{"", "//evil.example", "javascript:alert(1)", "http://plain.example"} {
		if newAnnouncements(t, one).get("alice", "/announcements/5").count("#announcement a") != 0 {
			t.Errorf("%q is shown as a link", one.Link)
		}
	}
}

func TestWindowIsShownInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	today, other := post(5, 1, false, true), post(6, 24*400, false, true)
	today.EndsAt, other.EndsAt = noon.Add(6*time.Hour), noon.AddDate(1, 0, 0)
	b := newAnnouncements(t, today, other)
	for lang, want := range map[string][]string{
		"en": {"until 18:00", "until 20 Nov 2027", "16 Oct 2025"}, "ja": {"18:00まで", "2027年11月20日まで", "2025年10月16日"},
		"zh-CN": {"有效期至 18:00", "有效期至 2027年11月20日", "2025年10月16日"},
	} {
		r := b.get("alice", "/announcements", "Accept-Language", lang)
		for i, selector := range []string{"#a5 .meta span:last-child", "#a6 .meta span:last-child", "#a6 .meta > time"} {
			r.wantText(t, selector, want[i])
		}
	}
}

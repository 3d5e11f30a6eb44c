package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestARowShowsItsActorPictureAndButtons(t *testing.T) {
	t.Parallel()
	full := entry(1, noon, false, false)
	full.Extras = notifier.Extras{
		Actor:   &notifier.RowActor{ID: "u7", Name: "Zoë van \"Dam\"", Image: "https://eu.cdn.example.com/a.png?w=1&h=2"},
		Image:   &notifier.Image{URL: "https://cdn.example.com/plan.png", Alt: "The plan of \"hall 3\""},
		Actions: []notifier.Action{{Label: "Review <it>", Link: "/prs/7", Style: "primary"}, {Label: "Bad", Link: "javascript:1"}, {Label: "Later", Link: "https://shop.example/later", Style: "plain"}},
	}
	// The host of its pictures is no longer allowed.
	other := entry(2, noon, false, false)
	other.Extras = notifier.Extras{
		Actor: &notifier.RowActor{Name: "王小明", Image: "https://old.example.com/a.png"},
		Image: &notifier.Image{URL: "https://old.example.com/plan.png", Alt: "A plan"},
	}
	w := newWorld(t, func(w *world) {
		w.config.ImageHosts = []string{"cdn.example.com"}
		w.inbox.look = func(int64, notifier.Query) (notifier.Page, error) {
			return notifier.Page{Entries: []notifier.Entry{full, other, entry(3, noon, false, false)}}, nil
		}
	})
	r := w.get("alice", "/inbox?opened=0").wantStatus(t, http.StatusOK)
	for _, part := range []string{
		`aria-hidden="true">ZD<img src="https://eu.cdn.example.com/a.png?w=1&amp;h=2" alt=""`,
		`<img class="picture" src="https://cdn.example.com/plan.png" alt="The plan of &#34;hall 3&#34;"`,
		`<a class="button small primary" dir="auto" href="/n/1?a=1">Review &lt;it&gt;</a> <a class="button small" dir="auto" href="/n/1?a=3">Later</a>`,
		`aria-hidden="true">王<span class="corner`,
	} {
		if !strings.Contains(r.body, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	for _, part := range []string{"old.example.com", "Bad"} {
		if strings.Contains(r.body, part) {
			t.Errorf("the page has %s", part)
		}
	}
	if n := strings.Count(r.body, `class="calls"`); n != 1 {
		t.Errorf("%d rows have buttons", n)
	}
	if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "img-src 'self' data: https://cdn.example.com https://*.cdn.example.com;") {
		t.Errorf("the policy is %s", csp)
	}
}

func TestAnAnnouncementShowsItsPictureAndButtons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.config.ImageHosts = []string{"cdn.example.com"}
		w.posts.find = func(notifier.Reader, int64) (notifier.OpenAnnouncement, error) {
			return notifier.OpenAnnouncement{ID: 8, Title: "New hall", Read: true, Link: "/halls", Extras: notifier.Extras{
				Image:   &notifier.Image{URL: "https://cdn.example.com/plan.png", Alt: "The plan"},
				Actions: []notifier.Action{{Label: "Book", Link: "/book", Style: "primary"}},
			}}, nil
		}
	})
	r := w.get("alice", "/announcements/8").wantStatus(t, http.StatusOK)
	for _, part := range []string{`src="https://cdn.example.com/plan.png" alt="The plan"`, `<a class="button primary" dir="auto" href="/book">Book</a>`, `<a class="button" href="/halls">`} {
		if !strings.Contains(r.body, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
}

func TestARowShowsTheTitleOfItsAppAndAnIconThatThePagesMayShow(t *testing.T) {
	t.Parallel()
	const icon = "https://cdn.example.com/shop.png"
	of, other := entry(1, noon, true, false), entry(2, noon, true, false)
	of.App, other.App = "shop", "forum"
	w := newWorld(t, func(w *world) {
		w.config.ImageHosts = []string{"cdn.example.com"} // no longer old.example.com
		w.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{Entries: []notifier.Entry{of, other}}, nil }
		w.posts.find = func(notifier.Reader, int64) (notifier.OpenAnnouncement, error) {
			return notifier.OpenAnnouncement{ID: 8, Title: "New hall", Read: true, App: "shop"}, nil
		}
	})
	w.haveApp(notifier.App{Name: "shop", Audience: 2, AppLook: notifier.AppLook{Title: "Our <shop>", Icon: icon}})
	w.haveApp(notifier.App{Name: "forum", Audience: 2, AppLook: notifier.AppLook{Icon: "https://old.example.com/f.png"}})
	r := w.get("alice", "/inbox")
	r.wantText(t, "[data-id='1'] .from", "Sent by Our <shop>")
	r.wantText(t, "[data-id='2'] .from", "Sent by forum")
	if src := r.attr("[data-id='1'] .from img[alt=''][referrerpolicy=no-referrer][loading=lazy]", "src"); src != icon || r.count("[data-id='2'] img") != 0 {
		t.Errorf("the icon is %q; the other row has %d", src, r.count("[data-id='2'] img"))
	}
	post := w.get("alice", "/announcements/8")
	post.wantText(t, ".from", "Sent by Our <shop>")
	if src := post.attr(".from img", "src"); src != icon {
		t.Errorf("the icon of an announcement is %q", src)
	}
}

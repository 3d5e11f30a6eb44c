package api

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// linkOf returns the link and the app of the newest notice of bob.
func (w *world) linkOf(t *testing.T, title string) (link, app string) {
	t.Helper()
	testkit.Eventually(t, title+" is the newest", func() bool {
		all := w.list(t, "bob")
		if len(all) == 0 || all[0].Title != title {
			return false
		}
		link, app = all[0].Link, all[0].App
		return true
	})
	return link, app
}

func TestALinkOfAnAppLeadsToItsPagesInEveryBell(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, w *world) {
		crm := w.addApp(t, notifier.App{Name: "crm", Origins: []string{"https://crm.example.com"}, AppPlaces: notifier.AppPlaces{Base: "https://crm.example.com/app"}})
		bare := w.addApp(t, notifier.App{Name: "bare"})
		for i, c := range []struct{ key, given, link, app string }{
			{crm.APIKey, "/orders/7?a=b#c", "https://crm.example.com/app/orders/7?a=b#c", "crm"},
			{w.front.APIKey, "/orders/7", "https://shop.example.com/orders/7", "front"},
			{w.front.APIKey, "https://shop.example.com/else", "https://shop.example.com/else", "front"},
			{w.front.APIKey, "", "", "front"},
			{bare.APIKey, "/orders/7", "/orders/7", "bare"},
			{w.send, "/orders/7", "/orders/7", ""},
		} {
			title := "Number " + strconv.Itoa(i)
			body := `{"target":{"users":["bob"]},"type":"order","title":"` + title + `","link":"` + c.given + `"}`
			w.accepted(t, c.key, body)
			if link, app := w.linkOf(t, title); link != c.link || app != c.app {
				t.Errorf("%s of %s becomes %s of %s; want %s", c.given, c.app, link, app, c.link)
			}
		}
		for link, key := range map[string]string{"https://crm.example.com/x": w.front.APIKey, "https://shop.example.com/x": w.send, "//crm.example.com/x": crm.APIKey, "https://crm.example.com/../x": crm.APIKey} {
			body := `{"target":{"users":["bob"]},"type":"order","title":"No","link":"` + link + `"}`
			if got := w.call(t, key, "POST", "/notices", body).is(t, http.StatusUnprocessableEntity).faults(t); !slices.Equal(got, []string{"body.link"}) {
				t.Errorf("%s: faults at %v", link, got)
			}
		}
	})
}

// *Send again* on the page of an app's notice begins with its link.
func TestAPersonMayLinkToThePagesOfEveryApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addApp(t, notifier.App{Name: "crm", AppPlaces: notifier.AppPlaces{Base: "https://crm.example.com/app"}})
	for link, want := range map[string]string{
		"https://crm.example.com/app/7": "", "https://shop.example.com/orders/7": "", "/orders/7": "", "https://eve.example.com/": "link", "http://crm.example.com/": "link",
	} {
		_, err := w.notices.Confirm(t.Context(), notifier.Draft{
			Sender: notifier.UserNamed("carol"), Target: notifier.Target{Users: []string{"bob"}}, Type: "order", Title: "Again", Link: link,
		})
		var bad *notifier.InvalidError
		got := ""
		if errors.As(err, &bad) {
			got = bad.Fields[0].Field
		} else if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s: the fault is at %q, want %q", link, got, want)
		}
	}
}

func TestAnEditOfAnAppsNoticeLeadsItsLinkTheSameWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.accepted(t, w.front.APIKey, `{"target":{"users":["bob"]},"type":"order","title":"First","link":"/orders/7"}`)
	edit := func(body string) noticeOutput {
		t.Helper()
		var n noticeOutput
		w.call(t, w.front.APIKey, "PATCH", "/notices/"+strconv.FormatInt(id, 10), body).is(t, http.StatusOK).into(t, &n)
		return n
	}
	if n := edit(`{"title":"Second","link":"/orders/8"}`); n.Link != "https://shop.example.com/orders/8" || n.App != "front" {
		t.Errorf("the edited notice has the link %s and the app %s", n.Link, n.App)
	}
	if link, app := w.linkOf(t, "Second"); link != "https://shop.example.com/orders/8" || app != "front" {
		t.Errorf("the row has the link %s and the app %s", link, app)
	}
	if n := edit(`{"link":"/orders/8"}`); n.Revision != 1 {
		t.Errorf("the same link again is revision %d", n.Revision)
	}
	if _, err := w.apps.Revoke(t.Context(), notifier.Actor{}, "front"); err != nil {
		t.Fatal(err)
	}
	var n noticeOutput // its pages are no longer known, and its link stays
	w.call(t, w.admin, "PATCH", "/notices/"+strconv.FormatInt(id, 10), `{"title":"Third"}`).is(t, http.StatusOK).into(t, &n)
	if n.Link != "https://shop.example.com/orders/8" || n.App != "front" || n.Title != "Third" {
		t.Errorf("after the app was revoked the notice is %+v", n)
	}
}

func TestAnswersNameTheAppThatSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.accepted(t, w.front.APIKey, `{"target":{"users":["bob"]},"type":"order","title":"Late","link":"/orders/7","toast":true}`)
	w.accepted(t, w.front.APIKey, `{"target":{"audiences":["user"]},"title":"To all","body":"See [here](/news/7).","link":"/news"}`)
	w.linkOf(t, "Late")
	const link = "https://shop.example.com/orders/7"
	w.call(t, w.front.APIKey, "POST", "/toasts", `{"target":{"users":["bob"]},"title":"Done","link":"/exports/1"}`).is(t, http.StatusAccepted)
	bob, err := w.store.UserByName(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	seen := ""
	testkit.Eventually(t, "both toasts wait", func() bool {
		taken, err := w.toasts.Take(t.Context(), []int64{bob.Seq})
		var all strings.Builder
		for _, toast := range taken[0].Toasts {
			all.Write(toast.Content)
		}
		seen = all.String()
		return err == nil && strings.Count(seen, `"app":"front"`) == 2
	})
	if !strings.Contains(seen, link) || !strings.Contains(seen, "https://shop.example.com/exports/1") {
		t.Errorf("the toasts are %s", seen)
	}
	// Opening the inbox reads the notice, which ends its toast.
	const shown = `"app":{"name":"front","title":"The shop","icon":"https://cdn.example.com/shop.png"}`
	w.call(t, w.admin, "PATCH", "/apps/front", `{"title":"The shop","icon":"https://cdn.example.com/shop.png"}`).is(t, http.StatusOK)
	w.Tokens.Changed() // as in a program, where both are parts of one instance
	for _, c := range []struct{ answer, link, app string }{
		{w.call(t, w.bob, "GET", "/me/notices", nil).is(t, 200).text, `"link":"` + link + `"`, shown},
		{w.call(t, w.read, "GET", "/users/bob/notices", nil).is(t, 200).text, `"link":"` + link + `"`, shown},
		{w.call(t, w.read, "GET", "/users/bob/notices", nil, "Accept", "application/xml").is(t, 200).text, "<link>" + link + "</link>", "<app><name>front</name><title>The shop</title><icon>https://cdn.example.com/shop.png</icon></app>"},
		{w.call(t, w.bob, "POST", "/me/open", nil).is(t, 200).text, `"link":"` + link + `"`, shown},
	} {
		if !strings.Contains(c.answer, c.link) || !strings.Contains(c.answer, c.app) {
			t.Errorf("%s lacks %s or %s", c.answer, c.link, c.app)
		}
	}
	testkit.Eventually(t, "the announcement names its app", func() bool {
		text := w.call(t, w.bob, "GET", "/me/announcements", nil).is(t, 200).text
		return strings.Contains(text, `"link":"https://shop.example.com/news"`) && strings.Contains(text, `"href":"https://shop.example.com/news/7"`) && strings.Contains(text, shown)
	})
	w.accepted(t, w.send, `{"target":{"users":["bob"]},"type":"order","title":"Of no app"}`)
	w.linkOf(t, "Of no app")
	for _, c := range []struct{ key, path string }{{w.bob, "/me/notices"}, {w.read, "/users/bob/notices"}} {
		if text := w.call(t, c.key, "GET", c.path, nil).is(t, 200).text; !strings.Contains(text, `"app":null`) {
			t.Errorf("%s of a row of no app: %s", c.path, text)
		}
	}
	if _, err := w.apps.Revoke(t.Context(), notifier.Actor{}, "front"); err != nil {
		t.Fatal(err)
	}
	w.Tokens.Changed()
	if text := w.call(t, w.read, "GET", "/users/bob/notices", nil).is(t, 200).text; !strings.Contains(text, `"app":{"name":"front","title":"front"}`) {
		t.Errorf("after the app was revoked: %s", text)
	}
}

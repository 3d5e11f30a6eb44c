package e2e

import (
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// announcementReaders maps the audiences with announcements in the gallery to the names of their users.
var announcementReaders = map[string]string{"operator": "lone", "customer": "reader"}

// posts contains the ids of the announcements in the gallery.
type posts struct {
	rich, scheduled, retracted, edited string
}

const richText = `The counter in **hall 3** closes earlier this week. What that means for you:

1. Orders until *three* are still packed today.
2. What comes later goes out on [Thursday](/orders).

## What to do

- Tell your drivers.
- Look at the ` + "`ETA`" + ` of orders that matter.

> We are sorry for the trouble, and back to the usual hours on Monday.

The plan of all counters: <https://example.com/counters/this-is-a-rather-long-address-that-has-to-break-somewhere>
`

// announce publishes one announcement to operators, and more to customers than fit on one page of
// the list.
func (g *gallery) announce() {
	vera := g.people["vera"]
	vera.announces("operator", "The night shift begins at ten", "body", "From Monday on.")
	for n := range 36 {
		vera.announces("customer", fmt.Sprintf("%s (%d)", usual[n%len(usual)].title, n+1), "body", usual[n%len(usual)].body)
	}
	for _, n := range hard()[:4] {
		vera.announces("customer", n.title, "body", n.body)
	}
	g.posts.edited = vera.announces("customer", "Prices of spare parts rise in spring", "body", "See the **new list**.", "ends_at", after(48*time.Hour))
	vera.announces("customer", "We move: the new address of the warehouse", "body", "It is *in the same street*.", "pinned", "1", "link", "/orders")
	g.posts.rich = vera.announces("customer", "The counter in hall 3 closes at four", "body", richText, "pinned", "1", "link", "/orders", "ends_at", after(72*time.Hour))
	g.posts.scheduled = vera.announces("customer, operator", "Inventory on Saturday", "body", "Closed all day.", "starts_at", after(100*time.Hour), "late_joiners", "1")
	g.posts.retracted = vera.announces("customer", "Published too early", "body", "Never mind.")
	vera.leads("/staff/notices/" + g.posts.retracted + "/retract")
}

func (g *gallery) announcementViews() []view {
	one := "/announcements/" + g.posts.rich
	return []view{
		{name: "announcements-1", as: "lone", path: "/announcements"},
		{name: "announcements-many", as: "reader", path: "/announcements"},
		{name: "announcements-older", as: "reader", path: "/announcements", then: func(w *window) { w.follow(`a[rel=next]`) }},
		{name: "banner", as: "reader", path: "/inbox"},
		{name: "banner-one", as: "reader", path: "/settings", then: func(w *window) {
			w.clickOn(`#pinned button`).banner("We move: the new address of the warehouse")
		}},
		{name: "panel-with-announcements", as: "lone", path: "/settings", then: openPanel},
		{name: "announcement", as: "reader", path: one},
		{name: "announcement-unread", as: "reader", path: one + "?done=read", then: func(w *window) {
			w.clickOn(`#announcement [action$="/unread"] button`).until(`document.querySelector("#announcement [action$='/read'] button")`)
		}},
		{name: "announcements-read", as: "reader", path: "/announcements", then: func(w *window) {
			w.clickOn(`#announcement-read-all button`).until(`document.querySelector("#done.floating")`)
		}},
	}
}

func (g *gallery) announcementStaffViews() []view {
	at := func(id string) string { return "/staff/notices/" + id }
	write := func(w *window) {
		w.chooses("audience")
		w.adds("customer", "operator")
		w.fill("title", "The counter in hall 3 closes at four")
		w.fill("body", richText)
		// The button moves down when the preview appears, so the click waits for the preview.
		w.until(`document.querySelector("#preview [data-testid=schedule]") && document.querySelector("#preview strong")`)
	}
	return []view{
		{name: "send-audience", as: "vera", path: "/staff/send", then: write},
		{name: "send-audience-confirm", as: "vera", path: "/staff/send", status: 422, then: func(w *window) {
			write(w)
			w.fill("body", "See [the plan](https://example.com/plan) and ![it](https://example.com/plan.png).")
			w.until(`document.querySelectorAll("#body-lost li").length === 2`)
			w.answered(submitSend)
		}},
		{name: "send-audience-later", as: "vera", path: "/staff/send", then: func(w *window) {
			write(w)
			w.clickOn("#later-menu summary").answered(`[name=later][value=tomorrow]`)
		}},
		{name: "send-audience-faults", as: "vera", path: "/staff/send", status: 422, then: func(w *window) {
			write(w)
			w.emptiesTo()
			w.more().do(chromedp.SetValue(css(`#ends_at`), "2020-01-01T10:00"))
			w.answered(submitSend)
		}},
		{name: "announcement-open", as: "vera", path: at(g.posts.rich), then: func(w *window) {
			w.clickOn(`[data-testid=notice-menu] > summary`).clickOn(`[data-testid=retract] summary`)
		}},
		{name: "announcement-scheduled", as: "vera", path: at(g.posts.scheduled)},
		{name: "announcement-retracted", as: "vera", path: at(g.posts.retracted), then: func(w *window) {
			w.clickOn(`[data-testid=notice-menu] > summary`).clickOn(`[data-testid=delete] summary`)
		}},
		{name: "announcement-edit", as: "vera", path: at(g.posts.rich) + "/edit"},
		{name: "announcement-edit-conflict", as: "vera", path: at(g.posts.edited) + "/edit", status: 409, then: func(w *window) {
			g.edits(w, g.posts.edited)
			w.answered(`[data-testid=edit-form] button.primary`)
		}},
	}
}

// edits changes an announcement while the window has its form open.
func (g *gallery) edits(w *window, id string) {
	w.t.Helper()
	vera := g.people["vera"]
	_, form := vera.get("/staff/notices/" + id + "/edit")
	_, rest, _ := strings.Cut(form, `name="revision" value="`)
	revision, _, _ := strings.Cut(rest, `"`)
	vera.leads("/staff/notices/"+id+"/edit", "revision", revision, "to", "customer", "title", "Prices of spare parts rise in spring",
		"body", "See the **newest list**.", "ends_at", after(48*time.Hour))
}

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestEveryPageOfTopicsIsSound opens the pages about topics, types and edits, for users and senders,
// in each of their states.
func TestEveryPageOfTopicsIsSound(t *testing.T) {
	t.Parallel()
	g, views := openWarehouse(t)
	g.inspect(t, "topics", views...)
}

// wares are the types of a warehouse: with and without a name, open and closed to subscribers, and
// one that cannot be muted.
var wares = [][]string{
	{"slug", "rep_notice", "names.en", "Replenishment", "names.ja", "補充のお願い", "expires_in", "72h", "no_mute", "1"},
	{"slug", "order.late", "names.en", "Late orders", "open", "1"},
	{"slug", "shift", "names.en", "Changes of shifts that concern the people who work at night", "open", "1", "no_mute", "1"},
}

// describes creates or changes a type with the staff form.
func (p *person) describes(action string, fields ...string) {
	p.t.Helper()
	p.leads("/staff/types", append([]string{"action", action}, fields...)...)
}

// toTopic sends a notice to a topic with the staff form, and returns the path of its page.
func (p *person) toTopic(scope string, n notice) string {
	p.t.Helper()
	return p.leads("/staff/send", "target", "topic", "type", n.typ, "scope", scope, "subject", n.subject, "title", n.title, "body", n.body)
}

// openWarehouse starts a site whose users subscribe to topics, and returns it with the views to
// check.
func openWarehouse(t *testing.T) (*gallery, []view) {
	t.Helper()
	s := alone(t)
	lines := []string{"pat picker;night shift", "none", "vera staff"}
	s.people(lines...)
	g := &gallery{instance: s.serve(), people: map[string]*person{}}
	for _, line := range lines {
		g.people[firstWord(line)] = g.person(t, firstWord(line))
	}
	vera := g.people["vera"]
	for _, fields := range wares[1:] {
		vera.describes("add", fields...)
	}
	vera.leads("/staff/subscriptions", "type", "rep_notice", "scope", "119240", "role", "picker")
	vera.leads("/staff/subscriptions", "type", "shift", "scope", "", "role", "night shift")
	pat := g.people["pat"]
	pat.leads("/settings/subscriptions", "type", "order.late", "scope", "119240", "subscribed", "1")
	pat.leads("/settings/mute", "type", "rep_notice", "muted", "1")
	pat.leads("/settings/mute", "type", "like", "muted", "1")
	vera.leads("/staff/subscriptions", "type", "rep_notice", "scope", "119241", "user", "pat")
	vera.describes("save", wares[0]...)
	vera.sends("pat", usual[0])
	vera.toTopic("", notice{typ: "shift", title: "Your shift on Friday has changed", body: "It is now 14:00 to 22:00."})
	late := vera.toTopic("119240", usual[1])
	page := vera.toTopic("119240", notice{typ: "rep_notice", subject: "location:A-07-3", title: "Aisle 7, shelf 3 has −4 units", body: "Count it, and have it filled up."})
	return g, topicViews(g, page, late)
}

func topicViews(g *gallery, page, late string) []view {
	topic := func(w *window) {
		w.adds("rep 119240")
		w.fill("title", "Aisle 7, shelf 3 has −4 units")
		w.until(`document.querySelector("[data-testid=recipients]") && document.querySelector("#preview h3")`)
	}
	return []view{
		{name: "inbox", as: "pat", path: "/inbox"},
		{name: "panel", as: "pat", path: "/settings", then: openPanel},
		{name: "settings", as: "pat", path: "/settings"},
		{name: "settings-none", as: "none", path: "/settings"},
		{name: "settings-fault", as: "pat", path: "/settings", status: 422, then: func(w *window) {
			w.do(chromedp.SendKeys(css("#topic-scope"), "aisle 7"))
			w.press("#subscribe button")
		}},
		{name: "settings-mute-fault", as: "pat", path: "/inbox?filter=unread&opened=1", status: 422, then: func(w *window) {
			ask[bool](w, `(document.body.insertAdjacentHTML("beforeend", '<form id="sent" method="post" action="settings/mute"><input name="type" value="shift"><input name="muted" value="1"><button>Send</button></form>'), true)`)
			w.press("#sent button")
		}},
		{name: "send-topic", as: "vera", path: "/staff/send?target=topic"},
		{name: "send-followers", as: "vera", path: "/staff/send", then: func(w *window) {
			w.do(chromedp.WaitVisible(css("#to-entry")), chromedp.SendKeys(css("#to-entry"), "re"))
			w.until(`document.querySelectorAll("#to-names [role=group]").length > 0`)
		}},
		{name: "send-types", as: "vera", path: "/staff/send", then: func(w *window) {
			w.do(chromedp.WaitVisible(css("#type[aria-autocomplete]")), chromedp.SendKeys(css("#type"), "e"))
			w.until(`document.querySelector("#type-names").checkVisibility()`)
		}},
		{name: "send-topic-written", as: "vera", path: "/staff/send", then: topic},
		{name: "send-topic-faults", as: "vera", path: "/staff/send", status: 422, then: func(w *window) {
			topic(w)
			w.fill("type", "Not A Type")
			w.fill("scope", "aisle 7")
			w.answered(submitSend)
		}},
		{name: "notice", as: "vera", path: page},
		{name: "sent", as: "vera", path: "/staff/notices"},
		{name: "edit", as: "vera", path: page + "/edit", then: func(w *window) {
			w.fill("title", "Aisle 7, shelf 3 has −6 units")
			w.until(textOf("#preview h3") + ` === "Aisle 7, shelf 3 has −6 units"`)
		}},
		{name: "edit-conflict", as: "vera", path: late + "/edit", status: 409, then: func(w *window) {
			g.people["vera"].editsNotice(late, "title", "Order 4187 is on its way again")
			w.fill("body", "It comes on Monday.")
			w.answered(`[data-testid=edit-form] button.primary`)
		}},
		{name: "edit-faults", as: "vera", path: page + "/edit", status: 422, then: func(w *window) {
			w.fill("link", "javascript:alert(1)")
			w.answered(`[data-testid=edit-form] button.primary`)
		}},
	}
}

// editsNotice edits a sent notice, starting from its current revision.
func (p *person) editsNotice(page string, fields ...string) {
	p.t.Helper()
	_, form := p.get(page + "/edit")
	_, rest, found := strings.Cut(form, `name="revision" value="`)
	revision, _, _ := strings.Cut(rest, `"`)
	if !found {
		p.t.Fatalf("%s has no form", page)
	}
	// The words differ for notices and announcements.
	if to := p.leads(page+"/edit", append(fields, "revision", revision)...); to != page+"?done=notice-edited" && to != page+"?done=edited" {
		p.t.Fatal(fmt.Errorf("the edit led to %s", to))
	}
}

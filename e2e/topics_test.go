package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/carillonhq/carillon/internal/testkit"
)

// One user subscribes personally, another through their role, and a third by both. All have a page open when staff
// send.
func TestATopicReachesEachSubscriberOnceWithTheReason(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob", "carol picker", "dave picker", "erin")
	i := s.serve()
	vera := i.person(t, "vera")
	vera.describes("add", "slug", "rep_notice", "names.en", "Replenishment", "open", "1", "no_mute", "1")
	vera.leads("/staff/subscriptions", "type", "rep_notice", "scope", "119240", "role", "picker")

	bob := open(t, i).as(i.person(t, "bob")).goTo("/settings")
	bob.fill("scope", "119240")
	bob.press("#subscribe button")
	bob.has("#done p", "Followed. You'll get what comes from now on.")
	bob.has("[data-testid=subscriptions] li form > span", "Replenishment (119240)")
	i.person(t, "dave").leads("/settings/subscriptions", "type", "rep_notice", "scope", "119240", "subscribed", "1")
	windows := map[string]*window{"bob": bob}
	for _, name := range []string{"carol", "dave", "erin"} {
		windows[name] = open(t, i).as(i.person(t, name)).goTo("/settings")
	}
	windows["carol"].has("[data-testid=subscriptions] li .hint", "Through the group picker")

	w := open(t, i).as(vera).goTo("/staff/send")
	w.do(chromedp.WaitVisible(css(`#to-entry`)), chromedp.SendKeys(css("#to-entry"), "rep"))
	w.shows(`#to-names [role=group] .section`, "Followers")
	w.shows(`#to-names [role=option] span`, "Replenishment (119240)")
	w.shows(`#to-names [role=option] small`, "3 people")
	w.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitNotVisible(css(`#to-names`)))
	w.has(`.token`, "Followers of Replenishment (119240) 3 people ×")
	w.until(`document.querySelector("#type").value === "rep_notice" && document.querySelector("#scope").value === "119240"`)
	w.shows(`[data-testid=recipients]`, "3 people will get it.")
	w.fill("title", "Shelf 7 has -4 units")
	w.shows(`#preview h3`, "Shelf 7 has -4 units")
	w.press(sendButton)
	w.arrived("Shelf 7 has -4 units")

	for name, reason := range map[string]string{
		"bob": "Replenishment (119240)", "carol": "picker",
		"dave": "Replenishment (119240)",
	} {
		windows[name].badge("1").goTo("/inbox").has(".row .meta .why", reason)
		if n := ask[int](windows[name], `document.querySelectorAll("[data-testid=entry]").length`); n != 1 {
			t.Errorf("%s has it %d times", name, n)
		}
		if ask[bool](windows[name], `document.querySelector("[action$='/settings/mute']") !== null`) {
			t.Errorf("%s can mute a type that must not be muted", name)
		}
	}
	windows["erin"].badge("")

	bob.goTo("/settings").press("[data-testid=subscriptions] li button")
	bob.has("#done p", "Unfollowed.")
	vera.toTopic("119240", notice{typ: "rep_notice", title: "Shelf 8 has -1 units"})
	windows["dave"].badge("1")
	windows["carol"].badge("1")
	bob.badge("")
}

// TestTopicsWorkWithoutScript subscribes a user, sends to the topic and edits the notice, all
// without JavaScript.
func TestTopicsWorkWithoutScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob")
	i := s.serve()
	vera := i.person(t, "vera")
	vera.describes("add", "slug", "order.late", "names.en", "Late orders", "open", "1")
	bob := open(t, i).as(i.person(t, "bob")).withoutScript().goTo("/settings")
	bob.do(chromedp.SendKeys(css("#topic-scope"), "119240"))
	bob.press("#subscribe button")
	bob.shows("#done p", "Followed. You'll get what comes from now on.")

	w := open(t, i).as(vera).withoutScript().goTo("/staff/send")
	w.chooses("topic")
	w.more().do(chromedp.WaitNotVisible(css(`#to`)), chromedp.SendKeys(css("#type"), "order.late"), chromedp.SendKeys(css("#scope"), "119240"),
		chromedp.SendKeys(css("#title"), "Order 4187 is late"))
	w.press(`#send button[name=preview]`)
	w.shows(`[data-testid=recipients]`, "1 person will get it.")
	w.press(sendButton)
	w.shows("h1", "Order 4187 is late")
	testkit.Eventually(t, "the notice has arrived", func() bool {
		bob.goTo("/announcements")
		return bob.shown(`[data-testid=badge]`) == "1"
	})
	w.press("[data-testid=edit]")
	w.do(chromedp.Clear(css("#title")), chromedp.SendKeys(css("#title"), "Order 4187 is here"))
	w.press(`[data-testid=edit-form] button.primary`)
	w.shows("h1", "Order 4187 is here")
	testkit.Eventually(t, "the row says so", func() bool {
		bob.goTo("/inbox?filter=unread")
		return bob.shown(`[data-testid=entry] h3`) == "Unread Order 4187 is here"
	})
	bob.shows(`[data-testid=entry] .meta .why`, "Late orders (119240)")
	bob.goTo("/settings").press("[data-testid=subscriptions] li button")
	bob.shows("#done p", "Unfollowed.")
}

// TestAnEditReachesOpenInboxes edits a notice while its recipients have it open. The new text appears
// in the same row, which becomes neither new nor unread.
func TestAnEditReachesOpenInboxes(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob", "carol", "dave")
	i := s.serve()
	vera := i.person(t, "vera")
	page := vera.leads("/staff/send", "target", "user", "to", "bob, carol, dave", "type", "order.late", "subject", "order:4187",
		"title", "Order 4187 is late", "body", "It comes on Monday.", "link", "/orders/4187")
	vera.sends("bob", usual[4])
	bob := open(t, i).as(i.person(t, "bob")).goTo("/inbox")
	row := entry("order.late:order:4187")
	bob.do(chromedp.WaitVisible(row))
	bob.until(live)
	ask[bool](bob, `(document.querySelector("[data-key='order.late:order:4187']").dataset.same = "1", true)`)
	panel := open(t, i).as(i.person(t, "carol")).goTo("/settings")
	panel.until(live)
	openPanel(panel)
	panel.badge("1")

	w := open(t, i).as(vera).goTo(page)
	w.press("[data-testid=edit]")
	w.shows("h1", "Edit notification")
	w.fill("title", "Order 4187 is here")
	w.fill("body", "It came on Sunday.")
	w.shows(`#preview h3`, "Order 4187 is here")
	w.shows(`[data-testid=recipients]`, "Sent to 3 people. Everyone who still has it will see the change.")
	w.press(`[data-testid=edit-form] button.primary`)
	w.has("#done p", "Saved. Open inboxes update in a moment.")

	bob.until(`document.querySelector("[data-key='order.late:order:4187'] h3").textContent.includes("Order 4187 is here")`)
	bob.until(`document.querySelector("[data-key='order.late:order:4187'] .body").textContent.includes("It came on Sunday.")`)
	if !ask[bool](bob, `document.querySelector("[data-key='order.late:order:4187']").dataset.same === "1"`) {
		t.Error("the row was replaced under the reader")
	}
	bob.badge("")
	bob.shot("edited-inbox")
	panel.until(`document.querySelector("#panel [data-key='order.late:order:4187'] h3").textContent.includes("Order 4187 is here")`)
	panel.badge("1")
	panel.shot("edited-panel")
	open(t, i).as(i.person(t, "dave")).goTo("/inbox").has("[data-testid=entry] h3 a", "Order 4187 is here")
}

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/carillonhq/carillon/internal/testkit"
)

// controls is an expression for the recipient controls that are visible.
const controls = `["to", "to_role", "to_audience"].filter(id => document.getElementById(id).checkVisibility()).join(" ")`

// holds waits until the form has this target, shows these controls, and has these values.
func (w *window) holds(target, shown, values string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(f => f.get("target") === %q && %s === %q &&
		[f.get("to"), f.getAll("to_role").filter(Boolean).join("+"), f.getAll("to_audience").filter(Boolean).join("+")].join("|") === %q)(new FormData(document.querySelector("#send")))`,
		target, controls, shown, values))
}

// One field has people, groups or audiences. The other kind of notice keeps its recipients, and gets nothing.
func TestOneFieldHasAllRecipientsAndOnlyTheyGetTheNotice(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("alice staff", "bob picker", "carol picker", "dave")
	s.peopleOf("customer", "cara")
	w := sender(t, s.serve())

	w.adds("dav").holds("user", "to", "dave||").has(`[data-testid=recipients]`, "1 person will get it.")
	w.do(chromedp.SendKeys(css("#to-entry"), "p"))
	w.until(`document.querySelector("#to-names").hidden`) // a notification goes to people or to groups
	w.do(chromedp.KeyEvent(kb.Backspace))
	w.emptiesTo().clickOn("#to-entry")
	w.has(`#to-names .section`, "Groups").until(`[...document.querySelectorAll("#to-names [role=option]")].map(o => o.textContent).join() === "picker 2 people,staff 1 person"`)
	w.until(`!document.querySelector("#to-names [aria-selected=true]")`) // Enter chooses none
	w.adds("picker").holds("role", "to", "|picker|").has(`.token`, "picker 2 people ×")
	w.has(`[data-testid=recipients]`, "2 people will get it.")
	w.chooses("audience").holds("audience", "to", "|picker|").has(".tokens", "").adds("customer")
	w.holds("audience", "to", "|picker|customer").has(`.token`, "Customer 1 person ×")
	w.has(`[data-testid=recipients]`, "1 person will get it.")
	w.clickOn(".kinds .notification").holds("role", "to", "|picker|customer").has(`.token`, "picker 2 people ×")

	// The choices are part of the draft, and survive a rejected form.
	w.until(`location.search.includes("draft=")`).do(chromedp.Reload())
	w.until(`document.querySelector("#to-entry") !== null`)
	w.holds("role", "to", "|picker|customer").has(`.token`, "picker 2 people ×").emptiesTo()
	w.fill("type", "news")
	w.fill("title", "The kitchen closes at four")
	w.answered(submitSend)
	testkit.Eventually(t, "the list of the faults has the focus", func() bool { return w.focused() == "faults" })
	w.has(`[data-testid=faults] a[href="#to"]`, "To: Required.").holds("user", "to", "||customer").shot("send-to-fault")
	w.do(chromedp.Click(css(`[data-testid=faults] a[href="#to"]`)))
	testkit.Eventually(t, "the link leads to the field", func() bool { return w.focused() == "to-entry" })
	w.adds("picker").until(`document.querySelector("#to-fault") === null`)
	w.holds("role", "to", "|picker|customer")
	w.do(chromedp.Click(sendButton))
	w.arrived("The kitchen closes at four")
	w.until(textOf(`.facts`) + `.includes("group picker")`)
}

// The sender types names, then chooses a role and audiences instead. Every control with a value that
// would be submitted stays visible.
func TestChoosingRecipientsWorksWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("alice staff", "bob picker", "dave")
	s.peopleOf("customer", "cara")
	w := open(t, s.serve()).withoutScript().signIn("alice").goTo("/staff/send")

	w.holds("user", "to", "||").fill("to", "dave")
	w.fill("type", "news")
	w.fill("title", "The kitchen closes at four")
	w.chooses("role").holds("role", "to to_role", "dave||").ticksIn("to_role", "picker")
	w.press(submitSend)
	w.has("#to-fault", "A group is also selected. Clear this field or that selection.").holds("role", "to to_role", "dave|picker|")
	w.do(chromedp.Clear(css("#to")))
	w.press(`#send button[name=preview]`)
	w.has(`[data-testid=recipients]`, "1 person will get it.").holds("role", "to_role", "|picker|")
	w.chooses("audience").ticks("customer", "operator")
	w.press(`#send button[name=preview]`)
	w.has(`[data-testid=recipients]`, "1 person will get it.").holds("audience", "to_audience", "|picker|operator+customer")
	w.chooses("role")
	w.press(submitSend)
	w.shows("h1", "The kitchen closes at four")
	w.until(textOf(`.facts`) + `.includes("group picker")`)
}

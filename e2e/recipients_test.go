package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

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

// The sender leaves a choice in each of the three controls and sends to the role. The other targets get nothing, and
// their choices stay.
func TestOnlyTheChosenTargetReceivesTheNotice(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("alice staff", "bob picker", "carol picker", "dave")
	s.peopleOf("customer", "cara")
	w := sender(t, s.serve())

	w.holds("user", "to", "||").fill("to", "dave")
	w.has(`[data-testid=recipients]`, "1 person will get it.")
	w.chooses("role").holds("role", "to_role", "||").ticksIn("to_role", "picker")
	w.has(`[data-testid=recipients]`, "2 people will get it.").has(`#to_role label:has(:checked)`, "picker 2 people")
	w.chooses("audience").holds("audience", "to_audience", "|picker|").ticks("customer")
	w.has(`[data-testid=recipients]`, "1 person will get it.").has(`#to_audience label:has(:checked)`, "Customer 1 person")
	w.chooses("user").holds("user", "to", "dave|picker|customer")
	w.has(`[data-testid=recipients]`, "1 person will get it.")

	// The choices are part of the draft, and survive a rejected form.
	w.chooses("role").holds("role", "to_role", "|picker|customer")
	w.do(chromedp.Reload())
	w.until(`document.querySelector("#to-entry") !== null`)
	w.holds("role", "to_role", "|picker|customer").ticksIn("to_role")
	w.fill("type", "news")
	w.fill("title", "The kitchen closes at four")
	w.answered(submitSend)
	testkit.Eventually(t, "the list of the faults has the focus", func() bool { return w.focused() == "faults" })
	w.has(`[data-testid=faults] a[href="#to_role"]`, "Groups: Choose one.").holds("role", "to_role", "||customer")
	w.do(chromedp.Click(css(`[data-testid=faults] a[href="#to_role"]`)))
	testkit.Eventually(t, "the link leads to the list", func() bool { return w.focused() == "to_role" })
	w.ticksIn("to_role", "picker").until(`document.querySelector("#to_role-fault") === null`)
	w.chooses("user").holds("user", "to", "dave|picker|customer")
	w.chooses("role").holds("role", "to_role", "|picker|customer")
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

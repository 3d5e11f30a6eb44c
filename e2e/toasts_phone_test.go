package e2e

import (
	"fmt"
	"testing"
)

// TestAToastTappedOnAPhoneLeadsToItsRowBelowTheHeader taps toasts whose notices have no link, so that
// they lead to their rows: on another page of the site, and on the inbox itself.
func TestAToastTappedOnAPhoneLeadsToItsRowBelowTheHeader(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob")
	i := s.serve()
	vera := i.person(t, "vera")
	for _, n := range usualNotices(30) {
		vera.sends("bob", n)
	}
	w := open(t, i).size(390, 844).as(i.person(t, "bob"))
	w.visit("/settings").uses()
	vera.sendsToast("bob", "Order 1 is late")
	w.clickOn("#popups a").until(`location.pathname.endsWith("/inbox")`)
	w.below("Order 1 is late")

	// The row is not yet in this page of the inbox, and others are now above it.
	w.visit("/inbox").uses()
	vera.sendsToast("bob", "Order 2 is late")
	w.until(`document.querySelector("#popups a")`).hovers("#popups .toast")
	for _, n := range usualNotices(12) {
		vera.sends("bob", n)
	}
	w.clickOn("#popups a")
	w.below("Order 2 is late")
}

// below waits until the row of a title is in sight, with room for at least the header above it.
func (w *window) below(title string) {
	w.t.Helper()
	w.until(`document.readyState === "complete"`)
	w.until(fmt.Sprintf(`((row, header) => row && (({top, bottom}) => top >= header.getBoundingClientRect().height && bottom <= innerHeight)(row.getBoundingClientRect()))(
		[...document.querySelectorAll("main .row")].find(row => row.querySelector("h3").textContent.includes(%q)), document.querySelector("header.top"))`, title))
}

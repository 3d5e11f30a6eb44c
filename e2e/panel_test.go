package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestThePanelCountsAndClearsBothHalves(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob")
	i := s.serve()
	vera, bob := i.person(t, "vera"), i.person(t, "bob")
	vera.sends("bob", usual[0])
	vera.announces("user", "The counter in hall 3 closes at four", "body", "Use the one in hall 1.")
	w := open(t, i).as(bob).goTo("/settings")
	w.until(live).badge("2")
	openPanel(w)
	w.until(`document.querySelectorAll("#panel .row").length === 2 && document.querySelector("#panel [data-post] .dot")`)
	w.shot("panel-both")

	// By keyboard: the tab keeps the focus, and Escape gives it back to the bell.
	w.do(focusOn("#panel-unread"))
	w.types(kb.Enter).until(`document.querySelector("#panel-unread[aria-current]") && document.activeElement.id === "panel-unread"`)
	w.until(`document.querySelectorAll("#panel .row").length === 2`)
	w.types(kb.Escape).until(`document.querySelector("#panel").hidden && document.activeElement.id === "bell"`)

	// A phone: the tab is kept while all is marked as read, and Undo brings both back.
	w.size(390, 844)
	openPanelUnread(w)
	w.shot("panel-phone")
	w.clickOn("#panel form button").until(`document.querySelector("#panel .empty") && document.querySelector("#panel-unread[aria-current]")`)
	w.has("#panel .empty p:not([hidden])", "You're all caught up.")
	w.badge("")
	w.clickOn("#done form button").badge("2")

	// Reading the announcement elsewhere turns its row, and nothing moves.
	w.goTo("/settings").until(live)
	openPanel(w)
	w.until(`document.querySelector("#panel [data-post][data-state=unread]")`)
	open(t, i).as(bob).visit("/announcements").clickOn("#announcement-read-all button")
	w.until(`document.querySelector("#panel [data-post][data-state=read]")`).badge("1")
}

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

	// By keyboard: the tab keeps the focus, and Escape returns it to the bell.
	w.do(focusOn("#panel-unread"))
	w.types(kb.Enter).until(`document.querySelector("#panel-unread[aria-current]") && document.activeElement.id === "panel-unread"`)
	w.until(`document.querySelectorAll("#panel .row").length === 2`)
	w.types(kb.Escape).until(`document.querySelector("#panel").hidden && document.activeElement.id === "bell"`)

	// On a phone: the tab stays while all is marked as read, and Undo restores both.
	w.size(390, 844)
	openPanelUnread(w)
	w.shot("panel-phone")
	w.clickOn("#panel form button").until(`document.querySelector("#panel .empty") && document.querySelector("#panel-unread[aria-current]")`)
	w.has("#panel .empty p:not([hidden])", "You're all caught up.")
	w.badge("")
	w.clickOn("#done form button").badge("2")

	// Reading the announcement elsewhere updates its row, and nothing moves.
	w.goTo("/settings").until(live)
	openPanel(w)
	w.until(`document.querySelector("#panel [data-post][data-state=unread]")`)
	open(t, i).as(bob).visit("/announcements").clickOn("#announcement-read-all button")
	w.until(`document.querySelector("#panel [data-post][data-state=read]")`).badge("1")
}

func TestRowsOfThePanelAreMarkedAndMutedThere(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, usual[:3]...)
	vera.announces("user", "The counter in hall 3 closes at four", "body", "Use the one in hall 1.")
	w.visit("/inbox?filter=unread").stays().until(live).badge("4")
	openPanel(w)
	const row, post = "#panel .row[data-key^=rep]", "#panel .row[data-post]"
	w.clickOn(row + ` [action$="/inbox/read"] button`).badge("3")
	w.until(`document.activeElement === document.querySelector('` + row + `[data-state=read] [action$="/unread"] button')`)
	w.shot("panel-actions")
	w.types(kb.Enter).badge("4")
	w.until(`document.querySelector('` + row + `[data-state=unread] .dot') && document.activeElement.closest('[action$="/inbox/read"]')`)
	w.clickOn(post + ` [action$="/read"] button`).badge("3").until(`document.querySelector("` + post + `[data-state=read]")`)
	w.clickOn(post + ` [action$="/unread"] button`).badge("4")
	w.clickOn(row+` [action$="/settings/mute"] button`).has("#done p", "Muted “rep_notice”. You won't get new ones. Manage muted categories in Settings.")
	w.until(`document.querySelectorAll('button[title="Unmute “rep_notice”"]').length === 2`) // in the panel and in the inbox below
	w.until(`!document.querySelector("#panel").hidden`).same()

	w.scaled(390, 844, 1, true)
	w.visit("/inbox?filter=unread").until(live)
	openPanel(w)
	w.clickOn(row + " .dots").until(`document.querySelector("` + row + ` .actions").matches(":popover-open")`)
	w.shot("panel-sheet-phone")
	w.clickOn(row + ` [action$="/inbox/read"] button`).badge("3")
}

// The next row gets the focus, the numbers follow, and Undo leads to the inbox.
func TestRowsOfThePanelAreArchivedThere(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	w.visit("/settings").stays().until(live).badge("3")
	openPanel(w)
	const rows, archive = `document.querySelectorAll("#panel .row").length`, `#panel .row [action$="/inbox/archive"] button`
	w.has("#panel-unread .tally", "3").do(focusOn(archive))
	w.types(kb.Enter).badge("2").until(rows + ` === 2 && document.activeElement === document.querySelector('` + archive + `')`)
	w.has("#panel-unread .tally", "2").has("#done p", "Archived.")
	w.shot("panel-archived")

	// On a phone it is in the sheet of the row.
	w.scaled(390, 844, 1, true)
	w.visit("/settings").until(live)
	openPanelUnread(w)
	w.clickOn("#panel .row .dots").until(`document.querySelector("#panel .row .actions").matches(":popover-open")`)
	w.clickOn(archive).badge("1").until(rows + ` === 1 && document.activeElement.matches("#panel .row .dots")`)
	w.clickOn("#panel .row .dots").clickOn(archive).badge("").until(`document.querySelector("#panel .empty") && document.querySelector("#panel-unread .tally").hidden`)
	w.clickOn("#done form button").badge("1").until(`location.pathname === "/inbox"`)
}

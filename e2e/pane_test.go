package e2e

import (
	"strings"
	"testing"
)

// A long text is read in the pane beside the list on a wide screen; on others it unfolds in its row.
func TestAWideScreenReadsInAPaneBesideTheList(t *testing.T) {
	t.Parallel()
	long := notice{"report", "", "The report of the year", strings.Repeat("Orders rose in every month but one. ", 12) + "The end.", "/settings"}
	w, _ := desk(t, usual[2], long, usual[6])
	first, last := usual[6].title, usual[2].title
	const row = `document.activeElement.closest(".row")?.querySelector("h2 a, h3 a").textContent`
	const heading = `document.querySelector("#pane :is(h2, h3)")?.textContent.trim()`
	shows := func(title string) { w.t.Helper(); w.until(heading + ` === "` + title + `"`) }
	w.size(1440, 900).visit("/inbox").stays().until(live).titles(first, long.title, last)
	w.types("jj").onRow(long.title).clickOn(`.row:has(a[href^="/n/"]) .fold > summary`)
	shows(long.title)
	w.until(`document.querySelector("#pane .body").textContent.endsWith("The end.") && document.querySelector("#pane").getBoundingClientRect().left > document.querySelector("#list").getBoundingClientRect().right`)
	w.until(`[...document.querySelectorAll("#pane .buttons button")].map((b) => b.textContent).join().endsWith("Archive,Later,Delete,Close")`)
	w.settles().shot("inbox-pane")
	w.pleasesAxe("the inbox with the pane")

	// The pane follows the focus, and an action in it goes on to the next row.
	w.types("k")
	shows(first)
	w.types("j")
	shows(long.title)
	w.clickOn(`#pane .buttons button:nth-of-type(3)`).titles(first, last).has("#done p", "Archived.")
	shows(last)
	w.types("z").titles(first, long.title, last)
	shows(long.title)
	w.clickOn(`#pane .buttons button:nth-of-type(4)`).until(`document.querySelector("#later:popover-open")`).types("\x1b")
	w.until(`!document.querySelector("#later:popover-open")`)
	shows(long.title)
	w.types("\x1b").until(`!document.querySelector("#pane") && !document.querySelector("[data-pane], [aria-current=true].row")`).until(row + ` === "` + long.title + `"`)
	w.same()

	w.size(1000, 900).clickOn(`.row:has(a[href^="/n/"]) .fold > summary`).until(`document.querySelector(".fold[open]") && !document.querySelector("#pane")`)
}

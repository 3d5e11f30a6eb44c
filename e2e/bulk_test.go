package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// picked is an expression for the number of selected rows.
const picked = `document.querySelectorAll("main .pick:checked").length`

func TestThreeNoticesAreArchivedAndDeletedAtOnceAndComeBack(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:5]...)
	w.visit("/inbox").stays().until(live)
	all := []string{usual[4].title, usual[3].title, aisle, late, photo}
	w.titles(all...).types("jxjxjx").until(picked+` === 3`).has("#bulk p", "3 selected").has("#announcer", "3 selected")
	w.shot("inbox-selected")
	w.types(kb.Escape).until(picked + ` === 0 && !document.querySelector("#bulk").checkVisibility()`)
	w.types("xkxkx").until(picked + ` === 3`).types("e")
	w.titles(late, photo).has("#done p", "3 archived.").onRow(late)
	w.types("z").titles(all...).until(`document.querySelectorAll("#done form").length === 0`)

	w.clickOn("main .pick").until(picked + ` === 1`)
	w.script(`document.querySelectorAll("main .pick")[2].dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, shiftKey: true}))`)
	w.until(picked + ` === 3`).clickOn(`#bulk [formaction$="/inbox/delete"]`)
	w.titles(late, photo).has("#done p", "3 deleted.")
	w.clickOn("#done form button").titles(all...)

	w.clickOn("main .pick").clickOn(`#bulk [formaction$="/inbox/unread"]`).has("#badge", "1").until(`document.activeElement === document.querySelector("main .row")`)
	w.same()
}

func TestOlderRowsStayAfterAnActionOnSeveral(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usualNotices(34)...)
	rows := func(n int) {
		w.until(fmt.Sprintf(`document.querySelectorAll("main [data-testid=entry]:not([hidden])").length === %d`, n))
	}
	w.visit("/inbox").stays().until(live)
	rows(30)
	w.clickOn("#pager [rel=next]")
	rows(34)
	w.types("xjx").until(picked + ` === 2`).types("e")
	rows(32)
	w.until(`!document.querySelector("#pager [rel=next]")`)
	w.types("z")
	rows(34)
	w.same()
}

func TestNoticesAreSelectedOnAPhone(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:5]...)
	w.scaled(320, 568, 1, true)
	w.visit("/inbox").until(live).clickOn("main .pick").until(picked + ` === 1`)
	w.until(`document.documentElement.scrollWidth <= 320`)
	w.until(`[...document.querySelectorAll("#bulk button, main .pick")].every(b => b.getBoundingClientRect().height >= 44 && b.getBoundingClientRect().width >= 44)`)
	w.shot("inbox-selected-phone")
	w.clickOn(`#bulk [type=reset]`).until(picked + ` === 0`)
}

func TestNoticesAreArchivedTogetherWithoutJavaScript(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:4]...)
	w.withoutScript()
	w.visit("/inbox?filter=unread").titles(usual[3].title, aisle, late, photo)
	w.clickOn(`main .row:first-child .pick`).until(picked + ` === 1`)
	w.clickOn(`[aria-label="` + late + `"].pick`).until(picked + ` === 2`)
	w.press(`#bulk [formaction$="/inbox/archive"]`)
	w.titles(aisle, photo).has("#done p", "2 archived.").has("#badge", "2")
	w.press(`#done form button`)
	w.titles(usual[3].title, aisle, late, photo).has("#badge", "4").has("#done p", "Restored.")
}

// selectTwo selects the first two notices.
func selectTwo(w *window) {
	w.script(`[...document.querySelectorAll("main .pick")].slice(0, 2).forEach(box => box.click())`).until(picked + ` === 2`)
}

package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestNoticesAreFoundWhileTyping(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:5]...)
	w.visit("/inbox").stays()
	w.settles().shot("inbox-search")
	// A key event of the DevTools protocol types its character even where the page prevents that.
	ask[bool](w, `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}))`)
	w.until(`document.activeElement.id === "q"`)
	w.do(chromedp.SendKeys(css("#q"), "AISLE"))
	w.titles(aisle)
	w.at("/inbox?q=AISLE")
	w.until(`document.activeElement.id === "q" && document.activeElement.value === "AISLE"`)
	w.settles().shot("inbox-found")
	w.same()
	w.clickOn("#filters a:nth-of-type(2)").at("/inbox?filter=unread&q=AISLE")
	w.until(`document.querySelector("#q").value === "AISLE" && document.querySelector("#filters a:nth-of-type(2)").ariaCurrent === "page"`)
	w.clickOn("#filters a:first-of-type").at("/inbox?q=AISLE")
	w.titles(aisle)
	w.do(chromedp.SendKeys(css("#q"), " nothing"))
	w.titles().has(".empty h2", "No matching notifications")
	w.clickOn(".empty a")
	all := []string{usual[4].title, usual[3].title, aisle, late, photo}
	w.titles(all...)
	w.do(chromedp.SendKeys(css("#q"), "order"+kb.Enter))
	w.titles(late)
}

func TestTypesOfALongInboxAreChosenAboveIt(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, manyRows()...)
	w.visit("/inbox").stays().until(live)
	const shown = `document.querySelectorAll("[data-testid=entry]").length`
	w.clickOn(".types a").has(".types [aria-current=page] span", "Comment").until(shown + ` === 13`)
	w.has(".types a", "All categories").clickOn(".types a").until(shown + ` === 25`).same()
}

func TestNoticesAreFoundWithoutJavaScript(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:5]...)
	w.withoutScript().size(390, 800)
	w.visit("/inbox")
	w.do(chromedp.SendKeys(css("#q"), "aisle"))
	w.press("form.search button")
	w.shot("inbox-found-phone")
	w.shows("main .row h3 > [dir]", aisle)
}

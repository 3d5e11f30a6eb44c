package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// script runs JavaScript and ignores its result.
func (w *window) script(js string) *window {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](js))
	return w
}

func TestOnlyALongTextCanBeUnfolded(t *testing.T) {
	t.Parallel()
	long := notice{typ: "report", title: "A long one", body: strings.Repeat("It goes on and on. ", 40)}
	medium := notice{typ: "comment", title: "One that fits", body: strings.Repeat("It fits. ", 8)}
	w, _ := desk(t, long, medium)
	w.size(1000, 900).visit("/inbox").titles(medium.title, long.title)
	w.until(`document.querySelectorAll("details.fold").length === 2 && document.querySelectorAll("details.fold[data-fits]").length === 1`)
	const height = `document.querySelector(".row:has(details.fold:not([data-fits])) .body").getBoundingClientRect().height`
	before := ask[float64](w, height)
	w.script(`document.querySelectorAll("main .row")[1].focus()`)
	w.types("o").until(fmt.Sprintf(`%s > %f`, height, 3*before))
}

func TestComingBackFromANoticeKeepsEntriesMarkedAsNew(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	w.do(chromedp.Navigate(w.url + "/inbox"))
	w.until(`document.querySelectorAll("main .row .mark").length === 3 && document.querySelector("#count").textContent === "3 new"`)
	w.script(fmt.Sprintf(`[...document.querySelectorAll(".row a")].find(a => a.textContent === %q).click()`, late))
	w.at("/settings")
	w.until(`document.readyState === "complete"`)
	w.back()
	w.until(`document.querySelectorAll("main .row .mark").length === 3 && document.querySelector("#count").textContent === "3 new"`)
}

func TestRepeatedKeysAndClicksActOnce(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	w.visit("/inbox").titles(aisle, late, photo)
	w.script(`document.querySelector("main .row").focus()`)
	w.script(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "d", repeat: true, bubbles: true}))`)
	w.click("Mark as unread: "+photo).has("#badge", "1") // an action of the held key would have come first
	w.titles(aisle, late, photo)

	// The row that moves under the pointer is not the intended one.
	w.script(`document.addEventListener("htmx:afterRequest", () => {
		const next = document.querySelector("main .row:not([hidden]) [action$='/inbox/delete'] button");
		next.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, detail: 2}));
	}, {once: true})`)
	w.click("Delete: "+aisle).titles(late, photo).settles()
	w.click("Mark as read: " + photo).until(`document.querySelector("#badge").hidden`)
	w.titles(late, photo)
	w.clickOn("#done .close").until(`document.querySelector("#done").textContent === ""`)
	w.until(`document.activeElement !== document.body`)
}

func TestRemovedRowsAndNumbersFollowOtherTabs(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	w.visit("/inbox").titles(aisle, late, photo).stays()
	other := w.tab().goTo("/inbox?opened=1")
	other.click("Mark as unread: " + photo)
	w.has("#count", "1 unread").until(`!document.querySelector("#mark-all").hidden`)
	other.click("Mark as read: " + photo)
	w.has("#count", "").until(`document.querySelector("#mark-all").hidden`)

	w.script(`document.querySelector("main .row [action$='/inbox/delete'] [name=key]").value = "like:gone"`)
	w.click("Delete: "+aisle).titles(late, photo).has("#done p", "This notification is no longer in your inbox.")
	w.until(`document.activeElement.matches("main .row")`)
	w.same()
}

func TestABellWhosePanelCannotBeLoadedSaysSo(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("bob")
	i := s.serve()
	w := open(t, i).size(1280, 900).as(i.person(t, "bob"))
	w.visit("/settings")
	i.kill()
	w.clickOn("#bell").has("#panel .waiting", "Couldn't load your notifications.")
	w.until(`document.querySelector("#panel a[href$='/inbox']") !== null`)
	s.serve("--addr", i.addr())
	w.clickOn("#panel .again").has("#panel .empty h2", "No notifications yet")
}

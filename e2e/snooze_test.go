package e2e

import "testing"

func TestNoticesAreSnoozedByKeyAndComeBack(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	w.visit("/inbox").stays().titles(aisle, late, photo)
	w.until(`!document.querySelector('a[href$="/inbox?filter=later"].tab')`)
	w.types("j").onRow(aisle).types("h").until(`document.querySelector(".times:popover-open") && document.activeElement.value === "3h"`)
	w.settles().shot("inbox-snooze")
	w.types("\r").titles(late, photo).has("#done p", "Put away for later.")
	w.types("z").titles(aisle, late, photo).onRow(aisle)
	w.types("h").until(`document.activeElement.value === "3h"`).types("\r").titles(late, photo)
	w.visit("/inbox").stays().clickOn(`a[href$="/inbox?filter=later"].tab`).titles(aisle)
	w.at("/inbox?filter=later")
	w.until(`document.querySelector("main .row .until")`).settles().shot("inbox-later")
	w.clickOn(`main .row form[action$="/inbox/wake"] button`).titles().has("#done p", "Back in the inbox.")
	w.clickOn(`a[href$="/inbox"].tab`).titles(aisle, late, photo)
	w.same()
}

package e2e

import "testing"

func TestNoticesAreSnoozedByKeyAndComeBack(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	const menu = `document.querySelector("#later:popover-open") && document.activeElement.value === "3h"`
	const tab = `document.getElementById("later-tab")`
	w.visit("/inbox").stays().titles(aisle, late, photo).until(tab + `.hidden`)
	w.types("j").onRow(aisle).types("h").until(menu)
	w.settles().shot("inbox-snooze")
	w.types("\x1b").until(`!document.querySelector("#later:popover-open")`).onRow(aisle).titles(aisle, late, photo)
	w.types("h").until(menu).types("\r").titles(late, photo).has("#done p", "Put away for later.").onRow(late)
	w.until(`!` + tab + `.hidden && ` + tab + `.querySelector(".tally").textContent === "1"`)
	w.types("z").titles(aisle, late, photo).onRow(aisle).until(tab + `.hidden`)
	w.types("h").until(menu).types("2").titles(late, photo) // tomorrow
	w.visit("/inbox").stays().clickOn(`a[href$="/inbox?filter=later"].tab`).titles(aisle)
	w.at("/inbox?filter=later")
	w.until(`document.querySelector("main .row .until")`).settles().shot("inbox-later")
	w.clickOn(`main .row form[action$="/inbox/wake"] button`).titles().has("#done p", "Back in the inbox.")
	w.clickOn(`a[href$="/inbox"].tab`).titles(aisle, late, photo)
	w.same()

	// A time that is refused is asked for again in the menu.
	w.types("j").onRow(aisle).types("h").until(menu)
	w.until(`(document.getElementById("until").value = "2020-01-01T09:00")`).clickOn(`#later [value="until"]`).has("#later .fault", "This time has already passed.")
	w.settles().shot("inbox-snooze-refused")
	w.until(`(document.getElementById("until").value = new Date(Date.now() + 2 * 864e5).toISOString().slice(0, 16))`).clickOn(`#later [value="until"]`)
	w.titles(late, photo)
}

func TestNoticesAreSnoozedWithoutScript(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:2]...)
	w.withoutScript().visit("/inbox")
	w.press(`[data-testid=entry] [formaction$="/inbox/snooze"]`)
	w.shot("snooze-without-javascript")
	w.press(`.later [value="tomorrow"]`)
	w.press(`[data-testid=done] form[action$="/inbox/restore"] button`)
	w.press(`[data-testid=entry] [formaction$="/inbox/snooze"]`)
	w.press(`.later [value="3h"]`)
	w.press(`a[href$="/inbox?filter=later"].tab`)
	w.press(`[data-testid=entry] form[action$="/inbox/wake"] button`)
	w.press(`a[href$="/inbox?filter=unread"].tab`)
	w.press(`[data-testid=entry] [formaction$="/inbox/snooze"]`)
}

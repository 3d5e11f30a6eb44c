package e2e

import "testing"

func TestPlacesAreReachedByTyping(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	const box = `document.querySelector("#commands[open]")`
	const opens = `document.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true, cancelable: true}))`
	const lines = `[...document.querySelectorAll("#commands li:not([hidden])")].map((li) => li.textContent.trim()).join()`
	w.visit("/inbox").stays().until(live).script(opens).until(box + ` && document.activeElement.name === "q"`)
	w.until(lines + `.endsWith("Keyboard shortcuts,Select,Search notifications")`)
	w.settles().shot("commands")
	w.pleasesAxe("the places to go to")
	w.types("sett app").until(lines + ` === "Settings › Appearance,Search notifications"`)
	w.types("\x1b").until(`!` + box).same()
	w.script(opens).until(box + ` && document.activeElement.value === ""`).types("sett app\r").at("/settings?tab=appearance")

	w.visit("/inbox").until(live).script(opens).until(box).types("Rotterdam").until(lines + ` === "Search notifications"`)
	w.types("\r").at("/inbox?q=Rotterdam")
	w.titles(late)
}

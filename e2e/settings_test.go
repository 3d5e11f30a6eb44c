package e2e

import (
	"testing"
)

// away answers every form as if the server could not be reached.
const away = `(window.fetch = () => Promise.reject(new TypeError("no network")), true)`

func TestASwitchIsSavedAtOnceAndSaysSo(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("bob", "plain", "vera staff")
	i := s.serve()
	i.person(t, "vera").describes("add", wares[1]...)
	w := open(t, i).size(1280, 900).as(i.person(t, "bob"))

	w.visit("/settings").until(live2).until(`document.querySelectorAll("form[data-saves]:not([data-whole]) > .buttons").length && [...document.querySelectorAll("form[data-saves]:not([data-whole]) > .buttons")].every(b => !b.checkVisibility())`)
	const box = `[data-testid=wants] tbody input[type=checkbox]`
	w.do(focusOn(box))
	w.types(" ").has(`tr:has(:focus) .saved`, "Saved").visit("/settings").until(live2)
	w.until(`!document.querySelector("` + box + `").checked && document.querySelector("[data-testid=muted]") === null`)
	w.press(`.tabs a[href$="tab=appearance"]`)
	w.until(live2).until(`document.querySelector(".tabs [aria-current=page]").textContent.trim() === "Appearance"`)
	const said = `.setting:has(#toasts) .saved`
	w.do(focusOn("#toasts"))
	w.types(" ").has(said, "Saved").until(`document.activeElement.matches("#toasts[role=switch]:not(:checked)")`)
	w.until(`getComputedStyle(document.querySelector("` + said + `"), "::before").content.includes("✓") && document.querySelector("#done").textContent === ""`)
	w.until(`document.querySelector("`+said+`").getAttribute("role") === "status"`).has(said, "")
	w.visit("/settings?tab=appearance").until(live2).until(`!document.querySelector("#toasts").checked && document.querySelector("#keys").checked`)

	w.clickOn(`label:has([name=theme][value=dark])`).has(`.setting:has([name=theme]) .saved`, "Saved").until(`getComputedStyle(document.documentElement).colorScheme === "dark"`)

	ask[bool](w, away)
	w.do(focusOn("#keys"))
	w.types(" ").has(`.setting:has(#keys) .saved.unsaved`, "Not saved. Try again.").until(`document.activeElement.matches("#keys:checked")`)
	w.visit("/settings?tab=appearance").until(live2).until(`document.querySelector("#keys").checked`)

	ask[bool](w, `(document.querySelector("#locale").value = "ja", document.querySelector("#locale").dispatchEvent(new Event("change", { bubbles: true })))`)
	w.until(`document.documentElement.lang === "ja"`)
	w.at("/settings?done=saved&tab=appearance")

	w = open(t, i).withoutScript().as(i.person(t, "plain"))
	w.visit("/settings?tab=appearance").clickOn("#toasts").press(`form.card .primary`)
	w.has("#done p", "Saved.").until(`!document.querySelector("#toasts").checked && document.querySelector("#keys").checked`)
	w.press(`.tabs a[href$="tab=account"]`)
	w.until(`document.querySelector("[data-testid=sessions]") !== null`)
}

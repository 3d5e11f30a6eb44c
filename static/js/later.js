// @ts-check
import { on } from "./htmx.js";

const gap = 8; // px between the menu, the button and the edge of the window

/** Shows the menu of times, whose content has come, at the button or row that has the focus. */
export function startLater() {
	on("htmx:afterSwap", ({ target }) => {
		if (target?.id !== "later") return;
		const at = document.activeElement?.closest(".row .actions, .row") ?? document.body;
		const { top, bottom, right } = at.getBoundingClientRect();
		target.showPopover();
		const { offsetWidth, offsetHeight } = target;
		const y = bottom + gap + offsetHeight < innerHeight ? bottom + gap : top - gap - offsetHeight;
		target.style.left = `${Math.max(gap, right - offsetWidth)}px`;
		target.style.top = `${Math.max(gap, y)}px`;
		target.querySelector("button")?.focus();
	});
	// A digit chooses.
	document.addEventListener("keydown", (e) => {
		const menu = e.target instanceof HTMLButtonElement && e.target.closest("#later");
		if (menu) menu.querySelectorAll("button")[Number(e.key) - 1]?.click();
	});
}

/** Reports whether the menu is shown. */
export function asksUntil() {
	return document.querySelector("#later:popover-open") !== null;
}

/**
 * Hides the menu, which returns the focus to the row, when a request begins. Returns the row that the request is about
 * if the menu sends it.
 * @param {Element} elt sends the request
 */
export function chosenFor(elt) {
	const menu = document.getElementById("later");
	menu?.hidePopover();
	return menu?.contains(elt) ? document.querySelector(elt.getAttribute("hx-target") ?? "") : null;
}

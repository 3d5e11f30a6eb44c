// @ts-check
import { close } from "./motion.js";

/**
 * Moves the focus to the row where the reader was, or to the next one when that row is gone; the rows below close the gap.
 * @param {string} id
 * @param {boolean} button whether a button of the row was pressed, not a key
 * @param {number} high the height of the row before, in CSS pixels
 */
export function stay(id, button, high) {
	const row = document.getElementById(id);
	if (!row) return;
	if (!row.hidden) {
		if (row.contains(document.activeElement)) return; // nothing was swapped
		const shown = [...row.querySelectorAll(".actions button")].find((b) => b.checkVisibility());
		focus(row.querySelector("[aria-invalid]") ?? (button && shown ? shown : row));
		return;
	}
	const all = [...document.querySelectorAll("main .row")];
	const at = all.indexOf(row);
	const near = [...all.slice(at), ...all.slice(0, at).reverse()].find((r) => r instanceof HTMLElement && !r.hidden);
	focus(near ?? document.querySelector("h1"));
	close(row, high); // last: while a row moves, scrolling to it would go too far
}

/**
 * Focuses an element and scrolls no further than to show it.
 * @param {Element | null | undefined} element
 */
export function focus(element) {
	if (element instanceof HTMLElement) element.focus({ preventScroll: true });
	element?.scrollIntoView({ block: "nearest" });
}

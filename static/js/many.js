// @ts-check
import { text } from "./texts.js";

/**
 * Lets staff tick a whole page of people, and a range with shift, and counts who is ticked. The list may be replaced while
 * they search, so that the page is listened to and not the list.
 * @param {AbortSignal} signal aborted when the page is replaced
 */
export function startMany(signal) {
	/** The box that was pressed last, where a range begins. @type {HTMLInputElement | undefined} */
	let last;
	document.addEventListener("click", ({ target, shiftKey }) => {
		if (!(target instanceof Element)) return;
		const all = boxes();
		if (target.closest("[data-pick-page]")) {
			const on = all.some((box) => !box.checked);
			for (const box of all) box.checked = on;
		} else if (target instanceof HTMLInputElement && all.includes(target)) {
			if (shiftKey && last?.isConnected) {
				const [a, b] = [all.indexOf(last), all.indexOf(target)];
				for (const box of all.slice(Math.min(a, b), Math.max(a, b) + 1)) box.checked = target.checked;
			}
			last = target;
		} else if (!target.matches("#many [name=all]")) return;
		count();
	}, { signal });
	count();
}

/** @returns {HTMLInputElement[]} */
function boxes() {
	return [...document.querySelectorAll("#many [name=pick]")].filter((e) => e instanceof HTMLInputElement);
}

/** Shows how many are ticked. All who match include them. */
function count() {
	const shown = document.querySelector(".many-count");
	if (!(shown instanceof HTMLElement)) return;
	const all = document.querySelector("#many [name=all]");
	const every = all instanceof HTMLInputElement && all.checked;
	for (const box of boxes()) box.disabled = every;
	shown.hidden = every;
	shown.textContent = text("selected", { Count: boxes().filter((box) => box.checked).length });
}

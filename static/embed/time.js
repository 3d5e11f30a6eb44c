// @ts-check
import { ago } from "../js/times.js";
import { make } from "./dom.js";

/** The lists on display, with their languages. @type {Map<HTMLElement, string>} */ const lists = new Map();
/** @type {ReturnType<typeof setInterval> | undefined} */ let timer;

/** Builds the time of a row. @param {string} at RFC 3339 @param {string} lang */
export function time(at, lang) {
	const el = make("time", { part: "meta time", datetime: at });
	write(el, lang);
	return el;
}

/** Updates the times in a list each minute, with one timer for all lists. Returns a function that ends this. @param {HTMLElement} list @param {string} lang */
export function ticks(list, lang) {
	lists.set(list, lang);
	timer ??= setInterval(() => {
		for (const [list, lang] of lists) for (const el of list.querySelectorAll("time")) write(el, lang);
	}, 60_000);
	return () => void lists.delete(list);
}

/** @param {HTMLElement} el @param {string} lang */
function write(el, lang) {
	const at = new Date(/** @type {HTMLTimeElement} */ (el).dateTime);
	el.textContent = ago(Date.now() - +at, lang) ?? at.toLocaleDateString(lang);
}

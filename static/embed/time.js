// @ts-check
import { ago } from "../js/times.js";
import { make } from "./dom.js";

/** Builds the time of a row. @param {string} at RFC 3339 @param {string} lang */
export function time(at, lang) {
	const el = make("time", { part: "meta time", datetime: at });
	write(el, lang);
	return el;
}

/** @param {HTMLElement} el @param {string} lang */
export function write(el, lang) {
	const at = new Date(/** @type {HTMLTimeElement} */ (el).dateTime);
	el.textContent = ago(Date.now() - +at, lang) ?? at.toLocaleDateString(lang);
}

// @ts-check
import { entryOf, rows } from "./rows.js";

const most = 10; // pages of older rows: whatever leads to a row is of the last hour

/** Goes to a row of this page, if it is there. @param {string} id */
export function goTo(id) {
	const row = document.getElementById(id);
	row?.focus({ preventScroll: true });
	row?.scrollIntoView({ block: "nearest" });
	return row !== null;
}

/**
 * Leads to the row that the address names. A page of the inbox has the newest rows
 * only: older ones are added below them until it is there, or can be no more.
 * @param {string} [id]
 */
export function startSeek(id = location.hash.slice(1)) {
	if (!/^e\d+$/.test(id) || document.getElementById(id)) return;
	let pages = most;
	const look = () => {
		const older = document.querySelector("#pager [rel=next]");
		if (older?.matches(".htmx-request")) return; // something else has come
		const last = rows().at(-1);
		const below = last !== undefined && entryOf(last).at > Number(id.slice(1));
		if (!goTo(id) && below && older instanceof HTMLElement && pages-- > 0) older.click();
		else document.removeEventListener("htmx:afterRequest", look);
	};
	document.addEventListener("htmx:afterRequest", look); // after startActions, which leads to the first row that came
	// From then on a click adds rows, where it would lead away before.
	if (document.readyState === "complete") look();
	else addEventListener("load", look, { once: true });
}

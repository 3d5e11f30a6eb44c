// @ts-check
import { entryOf, rows } from "./rows.js";

const most = 10; // pages of older rows: links to a row are to rows of the last hour

/**
 * Focuses a row of this page and reports whether it is there. A row out of sight is
 * scrolled to the middle, so that its surroundings are visible as well.
 * @param {string} id
 */
export function goTo(id) {
	const row = document.getElementById(id);
	if (!row) return false;
	row.focus({ preventScroll: true });
	const { top, bottom } = row.getBoundingClientRect();
	row.scrollIntoView({ block: top < 0 || bottom > innerHeight ? "center" : "nearest" });
	return true;
}

/**
 * Goes to the row that the address names. A page of the inbox has only the newest rows:
 * older ones are loaded below them until the row is there, or can no longer come.
 * @param {string} [id]
 */
export function startSeek(id = location.hash.slice(1)) {
	if (!/^e\d+$/.test(id) || document.getElementById(id)) return;
	let pages = most;
	const look = () => {
		const older = document.querySelector("#pager [rel=next]");
		if (older?.matches(".htmx-request")) return; // this is the answer to another request
		const last = rows().at(-1);
		const below = last !== undefined && entryOf(last).at > Number(id.slice(1));
		if (!goTo(id) && below && older instanceof HTMLElement && pages-- > 0) older.click();
		else document.removeEventListener("htmx:afterRequest", look);
	};
	document.addEventListener("htmx:afterRequest", look); // after startActions, which focuses the first new row
	// Before, htmx is not ready and a click would leave the page.
	if (document.readyState === "complete") look();
	else addEventListener("load", look, { once: true });
}

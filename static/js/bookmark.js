// @ts-check
import { startSeek } from "./seek.js";

const most = 20; // pages of older rows that are loaded again at most

/**
 * The reader's place in a list when they left it. It is kept in the entry of the
 * browser's history, which ends with the tab, and holds no text of any row.
 * @typedef {object} Bookmark
 * @property {string} row the id of the focused row, or else of the first visible one
 * @property {boolean} focused
 * @property {number} top of that row in the viewport, in px
 * @property {number} rows how many were loaded
 * @property {string} count the text beside the heading
 */

const list = () => [...document.querySelectorAll("main .row")].filter((row) => row instanceof HTMLElement);

/**
 * Restores the reader's place in a list on Back: loads as many rows as before, focuses
 * the same row and scrolls it to where it was.
 */
export function startBookmark() {
	document.addEventListener("click", (e) => {
		if (e.target instanceof Element && e.target.closest("a[href]")) keep(e.target.closest("main .row"));
	}, true);
	const [navigation] = performance.getEntriesByType("navigation");
	const came = /** @type {PerformanceNavigationTiming | undefined} */ (navigation)?.type;
	const mark = history.state?.bookmark;
	if (mark && came === "back_forward") restore(mark);
	else startSeek();
}

/** @param {Element | null} pressed the row that was pressed, if any */
function keep(pressed) {
	const all = list();
	if (all.length === 0) return;
	const focused = pressed ?? document.activeElement?.closest("main .row");
	const row = focused ?? all.find((one) => one.getBoundingClientRect().bottom > 0);
	if (!row) return;
	/** @type {Bookmark} */
	const bookmark = {
		row: row.id, focused: row === focused, top: row.getBoundingClientRect().top, rows: all.length,
		count: document.getElementById("count")?.textContent ?? "",
	};
	history.replaceState({ ...history.state, bookmark }, "");
}

/** @param {Bookmark} mark */
function restore(mark) {
	const count = document.getElementById("count");
	// A page of older rows does not contain the total.
	if (count && count.textContent === "" && count.dataset.unread === "false") count.textContent = mark.count;
	let pages = most;
	const look = () => {
		const older = document.querySelector("#pager [rel=next]");
		if (older?.matches(".htmx-request")) return; // this is the answer to another request
		if (list().length < mark.rows && older instanceof HTMLElement && pages-- > 0) return older.click();
		document.removeEventListener("htmx:afterRequest", look);
		stand(mark);
	};
	document.addEventListener("htmx:afterRequest", look); // after startActions, which focuses the first new row
	if (document.readyState === "complete") look();
	else addEventListener("load", look, { once: true }); // before, htmx is not ready and a click would leave the page
}

/** Scrolls the row to where it was. @param {Bookmark} mark */
function stand({ row: id, focused, top }) {
	const row = document.getElementById(id);
	if (!row) return;
	if (focused) row.focus({ preventScroll: true });
	else if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // loading moved the focus
	scrollBy({ top: row.getBoundingClientRect().top - top, behavior: "instant" });
}

// @ts-check
import { close } from "./motion.js";
import { text } from "./texts.js";

// The rows of the inbox as they are in the page now: other modules add and
// remove them.

/**
 * @typedef {object} Entry
 * @property {string} key
 * @property {number} at
 * @property {string} state
 * @property {HTMLElement} [row] as the server renders it
 */

/** Sends the server the number of rows in the list when an answer will replace the whole list. */
export function startRows() {
	document.addEventListener("htmx:configRequest", (e) => {
		const { target, parameters } = /** @type {CustomEvent} */ (e).detail;
		if (target?.id !== "inbox" || !parameters.back) return;
		const back = new URL(parameters.back, location.origin);
		const were = Number(back.searchParams.get("rows")); // before the change that is undone
		back.searchParams.set("rows", String(Math.max(were, rows().length)));
		parameters.back = back.pathname + back.search;
	});
}

/** Reports whether this is a page of the inbox. */
export function inInbox() {
	return document.getElementById("arrivals") !== null;
}

/**
 * Returns the version of the inbox that a page was rendered with.
 * @param {Document} [page]
 */
export function shownVer(page = document) {
	return Number(page.getElementById("bell")?.dataset.ver ?? 0);
}

/**
 * @param {Document} [page]
 * @returns {HTMLElement[]}
 */
export function rows(page = document) {
	return [...page.querySelectorAll("main [data-testid=entry]")].filter((e) => e instanceof HTMLElement);
}

/**
 * @param {HTMLElement} row
 * @returns {Entry}
 */
export function entryOf(row) {
	return { key: row.dataset.key ?? "", at: Number(row.dataset.at), state: row.dataset.state ?? "" };
}

/** @param {string} key */
export function rowsOf(key) {
	return rows().filter((row) => row.dataset.key === key);
}

/**
 * Shows a row as read. A New mark stays: it is about this visit.
 * @param {HTMLElement} row
 */
export function markRead(row) {
	if (row.dataset.state !== "unread") return;
	row.dataset.state = "read";
	row.querySelector(".dot")?.remove();
}

/**
 * Shows a row as unread.
 * @param {HTMLElement} row
 */
export function markUnread(row) {
	if (row.dataset.state === "unread") return;
	row.dataset.state = "unread";
	row.querySelector(".mark")?.remove();
	const dot = document.createElement("span");
	const said = document.createElement("span");
	[dot.className, said.className] = ["dot", "sr-only"];
	said.textContent = text("mark_unread");
	dot.append(said);
	row.querySelector("h2, h3")?.prepend(dot, " ");
}

/**
 * Removes a row that no longer exists. A row that waits for the answer to an action
 * of its own is left to that answer.
 * @param {HTMLElement} row
 */
export function remove(row) {
	if (row.matches(".htmx-request") || row.querySelector(".htmx-request")) return;
	if (row.contains(document.activeElement)) {
		const all = [...document.querySelectorAll("main .row:not([hidden])")];
		const at = all.indexOf(row);
		const near = all[at + 1] ?? all[at - 1] ?? document.querySelector("h1");
		if (near instanceof HTMLElement) near.focus({ preventScroll: true });
	}
	close(row, row.offsetHeight);
	row.remove();
	showEmpty();
}

const shown = ".row:not([hidden])";

/**
 * Changes the number in the heading of what is new by the rows that have gone or come back since the last call. It may count
 * rows of other pages, too.
 * @param {HTMLElement | null | undefined} section
 */
function countNew(section) {
	const heading = section?.querySelector("h2");
	if (!section || !heading) return;
	const n = section.querySelectorAll(shown).length;
	heading.textContent = heading.textContent.replace(/\d[\d,]*/, (were) => (Number(were.replaceAll(",", "")) + n - Number(section.dataset.fresh)).toLocaleString("en"));
	section.dataset.fresh = String(n);
}

/** Shows the empty text after the last row has gone, or removes it after one came back. */
export function showEmpty() {
	const list = document.getElementById("list");
	const template = document.getElementById("when-empty");
	if (!list || !(template instanceof HTMLTemplateElement)) return;
	const empty = list.querySelector(".empty");
	countNew(list.querySelector("[data-fresh]"));
	const rows = list.querySelector(shown);
	const older = document.querySelector("#pager [rel=next]");
	if (rows) empty?.remove();
	else if (older instanceof HTMLElement) older.click(); // there are more
	else if (!empty) list.append(template.content.cloneNode(true));
}

// @ts-check
import { text } from "./texts.js";

// The rows of the inbox as they stand in the page at the moment: others put
// them there and take them away.

/**
 * @typedef {object} Entry
 * @property {string} key
 * @property {number} at
 * @property {string} state
 * @property {HTMLElement} [row] as the server shows it
 */

/** Whether the page is one of the inbox. */
export function inInbox() {
	return document.getElementById("arrivals") !== null;
}

/**
 * The version of the inbox that a page came with.
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
 * Takes a row away that is gone. One that waits for the answer to an action of
 * its own is left to that answer.
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
	row.remove();
	showEmpty();
}

/** The last row went, or one came back. */
export function showEmpty() {
	const list = document.getElementById("list");
	const template = document.getElementById("when-empty");
	if (!list || !(template instanceof HTMLTemplateElement)) return;
	const empty = list.querySelector(".empty");
	const rows = [...list.querySelectorAll(".row")].some((r) => r instanceof HTMLElement && !r.hidden);
	const older = document.querySelector("#pager [rel=next]");
	if (rows) empty?.remove();
	else if (older instanceof HTMLElement) older.click(); // there are more
	else if (!empty) list.append(template.content.cloneNode(true));
}

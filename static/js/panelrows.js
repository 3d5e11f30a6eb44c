// @ts-check
import { followBadge } from "./badge.js";
import { focus } from "./focus.js";
import { on } from "./htmx.js";
import { close } from "./motion.js";
import { our } from "./mount.js";
import { rewrite } from "./rewrite.js";
import { markUnread } from "./rows.js";
import { text } from "./texts.js";

/**
 * @param {ParentNode} part
 * @param {string} key
 */
function rowOf(part, key) {
	return [...part.querySelectorAll(".row")].find((row) => row instanceof HTMLElement && row.dataset.key === key);
}

/**
 * Updates the text of a row of the panel, unless its key was delivered again.
 * @param {Document | null} page
 * @param {HTMLElement} panel
 * @param {string} key
 */
function rewriteFrom(page, panel, key) {
	const [row, now] = [rowOf(panel, key), page && rowOf(page, key)];
	if (row instanceof HTMLElement && now instanceof HTMLElement && row.dataset.at === now.dataset.at) rewrite(row, now);
}

/**
 * Shows a row as read or unread. If its button had the focus, the button that replaces it gets the focus.
 * @param {HTMLElement} row
 * @param {string} state
 */
function turn(row, state) {
	const focused = document.activeElement;
	if (state === "unread") markUnread(row);
	row.dataset.state = state;
	if (!row.contains(focused) || focused?.checkVisibility()) return;
	const shown = [...row.querySelectorAll(".actions button")].find((b) => b.checkVisibility());
	if (shown instanceof HTMLElement) shown.focus();
}

/** Returns the address of the tab of the panel that is shown. @param {ParentNode} panel */
export function shownTab(panel) {
	return panel.querySelector(".tab[aria-current]")?.getAttribute("hx-get") ?? our("/inbox/panel");
}

/** @param {string} address */
async function fetchPanel(address) {
	const answer = await fetch(address, { headers: { "HX-Request": "true" } });
	if (!answer.ok || answer.redirected) return null; // signed out
	return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/**
 * Keeps the rows of the panel and its numbers up to date.
 * @param {EventTarget} stream
 * @param {HTMLElement} panel
 * @param {() => void} load loads the panel again
 * @param {(address: string) => Promise<Document | null>} [get] fetches the current content of the panel
 */
export function followRows(stream, panel, load, get = fetchPanel) {
	/** @param {HTMLElement} row */
	const leave = (row) => {
		if (row.querySelector(".htmx-request")) return; // its answer comes, and removes it
		remove(row, panel);
		if (!panel.querySelector(".row")) load(); // there are more, or it says that there are none
	};
	/** @param {string} name @param {(row: HTMLElement, about: any) => void} change */
	const each = (name, change) =>
		stream.addEventListener(name, (e) => {
			for (const row of panel.querySelectorAll(".row")) {
				if (row instanceof HTMLElement) change(row, /** @type {CustomEvent} */ (e).detail);
			}
		});
	each("read", (row, { keys, upto }) => {
		if (keys ? keys.includes(row.dataset.key) : Number(row.dataset.at) <= Number(upto)) turn(row, "read");
	});
	each("unread", (row, { keys }) => {
		if (keys.includes(row.dataset.key)) turn(row, "unread");
	});
	each("removed", (row, { key }) => {
		if (row.dataset.key === key) leave(row);
	});
	for (const state of ["read", "unread"]) {
		each(`announcement_${state}`, (row, { all, ids }) => {
			if (row.dataset.post && (all || ids.map(String).includes(row.dataset.post))) turn(row, state);
		});
	}
	each("announcement_removed", (row, { id }) => {
		if (row.dataset.post === String(id)) leave(row);
	});
	stream.addEventListener("changed", async (e) => {
		const { key } = /** @type {CustomEvent} */ (e).detail;
		if (rowOf(panel, key)) rewriteFrom(await get(shownTab(panel)).catch(() => null), panel, key);
	});
	on("htmx:afterRequest", ({ successful, requestConfig }) => {
		const row = requestConfig?.elt.closest("#panel .row");
		if (successful && row instanceof HTMLElement && requestConfig?.path.endsWith("/inbox/archive")) leave(row);
	});
	followBadge(stream, ({ unread, announcements }) => {
		const tally = panel.querySelector("#panel-unread .tally");
		if (tally instanceof HTMLElement) [tally.hidden, tally.textContent] = [unread === 0, unread.toLocaleString("en")];
		const line = document.getElementById("panel-announcements");
		const link = line?.querySelector("a");
		if (!line || !link) return; // the panel was opened without the line, and nothing in it may move
		line.toggleAttribute("data-gone", announcements === 0);
		link.textContent = text("unread_announcements", { Count: announcements });
	});
}

/**
 * Removes a row. If it had the focus, the same button of the next row gets it.
 * @param {HTMLElement} row
 * @param {HTMLElement} panel
 */
function remove(row, panel) {
	if (row.contains(document.activeElement)) {
		const all = [...panel.querySelectorAll(".row")];
		const at = all.indexOf(row);
		const near = all[at + 1] ?? all[at - 1];
		focus([...(near?.querySelectorAll('.dots, [action$="/archive"] button') ?? [])].find((b) => b.checkVisibility()) ?? panel);
	}
	close(row, row.offsetHeight);
	row.remove();
}

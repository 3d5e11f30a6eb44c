// @ts-check
import { say } from "./announcer.js";
import { joinDays } from "./days.js";
import { clear, clearFailure, knowDone, showDone, showFailure, startDone } from "./done.js";
import { focus, stay } from "./focus.js";
import { on } from "./htmx.js";
import { asksUntil, chosenFor } from "./later.js";
import { showEmpty } from "./rows.js";
import { text } from "./texts.js";
import { drop } from "./undo.js";

const settling = 350; // ms after a removal by a button in which clicks on the row that moved under the pointer are ignored

/** The row that each request acts on. @type {WeakMap<XMLHttpRequest, {id: string, button: boolean, high: number}>} */
const about = new WeakMap();

/** The last row before older rows were loaded. @type {Element | undefined} */
let last;

/** The place of the first row that was selected when the last action began. */
let first = -1;

/** The id of the row of the last action. */
let acted = "";

/**
 * Finishes actions that load no new page: keeps the focus nearby, shows and announces the result, and reports failures.
 */
export function startActions() {
	let removed = -Infinity;
	knowDone();
	startDone();
	on("htmx:beforeSend", ({ elt, xhr }) => {
		const row = chosenFor(elt) ?? elt.closest(".row");
		if (row) about.set(xhr, { id: (acted = row.id), button: document.activeElement !== row, high: row.getBoundingClientRect().height });
		if (elt.id === "bulk") first = [...document.querySelectorAll("main .row")].findIndex((r) => r.querySelector(".pick:checked"));
		if (elt.matches('[rel="next"]')) last = [...document.querySelectorAll("main .row")].at(-1);
	});
	on("htmx:afterRequest", ({ xhr, successful, requestConfig }) => {
		const row = about.get(xhr);
		if (successful || xhr.status === 404) drop(requestConfig?.elt);
		if (!successful) {
			failed(xhr.status, row?.id, requestConfig?.path);
			return;
		}
		// The pressed element; it may have been swapped out by now. A part that
		// refreshes itself was not pressed and must not move the focus.
		const pressed = requestConfig?.elt?.matches("a, button, form") ? requestConfig.elt : undefined;
		clearFailure();
		if (asksUntil()) return; // the answer is the menu, which has the focus
		if (row?.button && document.getElementById(row.id)?.hidden) removed = performance.now();
		if (row) stay(row.id, row.button, row.high);
		showDone();
		showEmpty();
		if (pressed?.matches('[rel="next"]')) joinDays();
		if (pressed?.matches(".search")) say(document.getElementById("results")?.dataset.say ?? "");
		if (!row && pressed && !pressed.isConnected) focus(near(pressed));
	});
	// The row's position is no longer in the page, so Undo cannot restore it there: load the page.
	on("htmx:targetError", ({ elt }) => {
		if (elt instanceof HTMLFormElement && elt.closest("#done")) elt.submit();
	});
	document.addEventListener("click", (e) => {
		const pressed = e.target instanceof Element ? e.target : null;
		if (pressed?.closest("#done .close")) putAway();
		// A click by keyboard (detail 0) cannot hit a row that moved under the pointer.
		if (e.detail === 0 || !pressed?.closest(".row .actions") || performance.now() - removed > settling) return;
		e.preventDefault(); // the second click of a double click on a removed row
		e.stopPropagation();
	}, true);
	document.addEventListener("keydown", (e) => {
		const above = document.querySelector("dialog[open], details.menu[open], #panel:not([hidden])");
		if (e.key === "Escape" && !above && !asksUntil()) putAway();
	});
}

function putAway() {
	if (clear()) focus(document.getElementById(acted) ?? document.querySelector("h1"));
}

/**
 * @param {number} status 0: no answer
 * @param {string} [id] of the row that the request acted on
 * @param {string} [path]
 */
function failed(status, id, path) {
	if (status === 401 || path?.endsWith("/inbox/panel") || path?.endsWith("/announcements/pinned")) return; // 401 leads to the sign-in page; the panel reports its own failure; the banner is optional
	const row = status === 404 && id ? document.getElementById(id) : null;
	if (row) {
		const high = row.offsetHeight;
		row.hidden = true; // already gone on the server
		stay(row.id, false, high);
		row.remove();
		showEmpty();
	}
	const gone = path?.includes("/announcements/") ? "announcement_over" : "gone";
	/** @type {Record<number, string>} */ const reasons = { 404: gone, 409: "conflict", 503: "unavailable" };
	showFailure(text(reasons[status] ?? "failed"));
}

/**
 * Returns the element to focus after the pressed one was swapped out.
 * @param {Element} pressed
 * @returns {Element | null | undefined}
 */
function near(pressed) {
	if (pressed.closest("#panel")) return document.getElementById("panel");
	if (pressed.id === "bulk") return document.querySelectorAll("main .row")[first] ?? document.querySelector("h1");
	if (pressed.matches(".tab")) return document.querySelector('.tab[href="' + CSS.escape(pressed.getAttribute("href") ?? "") + '"]');
	if (pressed.matches('[rel="next"]')) {
		const all = [...document.querySelectorAll("main .row")];
		return all[last ? all.indexOf(last) + 1 : 0] ?? all.at(-1);
	}
	if (pressed.getAttribute("hx-target") === "#done") return document.getElementById(acted);
	const line = pressed.closest("tbody tr");
	if (line instanceof HTMLTableRowElement) {
		// The line that replaced the removed one.
		const all = [...document.querySelectorAll("#results tbody tr")];
		const next = all[line.sectionRowIndex] ?? all.at(-1);
		return next?.querySelector("form button") ?? next?.querySelector("a") ?? document.querySelector("h1");
	}
	// Undoing a delete restores a row, and closing a banner may show another: focus it.
	// Anything else concerns the whole list.
	const place = document.querySelector(pressed.getAttribute("hx-target") ?? "h1");
	return place?.matches(".row, #pinned:not([hidden])") ? place : document.querySelector("h1");
}

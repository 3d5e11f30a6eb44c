// @ts-check
import { say } from "./announcer.js";
import { joinDays } from "./days.js";
import { clear, clearFailure, knowDone, showDone, showFailure } from "./done.js";
import { on } from "./htmx.js";
import { showEmpty } from "./rows.js";
import { text } from "./texts.js";

const settling = 350; // ms in which the row that came under the pointer is not meant

/** The row that a request is about. @type {WeakMap<XMLHttpRequest, {id: string, button: boolean}>} */
const about = new WeakMap();

/** The last row before older ones came. @type {Element | undefined} */
let last;

/** The row of the last action. */
let acted = "";

/**
 * After an action without a new page: focus stays near, what was done is said
 * and shown where one looks, and a failure is told.
 */
export function startActions() {
	let removed = -Infinity;
	knowDone();
	on("htmx:beforeSend", ({ elt, xhr }) => {
		const row = elt.closest(".row");
		if (row) about.set(xhr, { id: (acted = row.id), button: document.activeElement !== row });
		if (elt.matches('[rel="next"]')) last = [...document.querySelectorAll("main .row")].at(-1);
	});
	on("htmx:afterRequest", ({ xhr, successful, requestConfig }) => {
		const row = about.get(xhr);
		if (!successful) {
			failed(xhr.status, row?.id, requestConfig?.path);
			return;
		}
		// What was pressed; it may have been swapped away by now. A part that looks
		// again by itself was not: it moves nobody.
		const pressed = requestConfig?.elt?.matches("a, button, form") ? requestConfig.elt : undefined;
		clearFailure();
		if (row && document.getElementById(row.id)?.hidden) removed = performance.now();
		if (row) stay(row.id, row.button);
		showDone();
		showEmpty();
		if (pressed?.matches('[rel="next"]')) joinDays();
		if (pressed?.matches(".search")) say(document.getElementById("results")?.dataset.say ?? "");
		if (!row && pressed && !pressed.isConnected) focus(near(pressed));
	});
	// The place of a row is gone, so that it cannot come back in place: the page does.
	on("htmx:targetError", ({ elt }) => {
		if (elt instanceof HTMLFormElement && elt.closest("#done")) elt.submit();
	});
	document.addEventListener("click", (e) => {
		const pressed = e.target instanceof Element ? e.target : null;
		if (pressed?.closest("#done .close")) putAway();
		// A key has no place on the page that something else could come under.
		if (e.detail === 0 || !pressed?.closest(".row .actions") || performance.now() - removed > settling) return;
		e.preventDefault(); // the second click on what is gone
		e.stopPropagation();
	}, true);
	document.addEventListener("keydown", (e) => {
		const above = document.querySelector("dialog[open], details.menu[open], #panel:not([hidden])");
		if (e.key === "Escape" && !above) putAway();
	});
}

function putAway() {
	if (clear()) focus(document.getElementById(acted) ?? document.querySelector("h1"));
}

/**
 * @param {number} status 0: no answer
 * @param {string} [id] of the row it was about
 * @param {string} [path]
 */
function failed(status, id, path) {
	if (status === 401 || path === "/inbox/panel" || path === "/announcements/pinned") return; // leads to the sign-in page; says so itself; nobody waits for it
	const row = status === 404 && id ? document.getElementById(id) : null;
	if (row) {
		row.hidden = true; // it is gone already
		stay(row.id, false);
		row.remove();
		showEmpty();
	}
	const gone = path?.startsWith("/announcements/") ? "announcement_over" : "gone";
	/** @type {Record<number, string>} */ const reasons = { 404: gone, 409: "conflict", 503: "unavailable" };
	showFailure(text(reasons[status] ?? "failed"));
}

/**
 * Where to go on from something that was pressed and has been swapped away.
 * @param {Element} pressed
 * @returns {Element | null | undefined}
 */
function near(pressed) {
	if (pressed.closest("#panel")) return document.getElementById("panel");
	if (pressed.matches(".tab")) return document.querySelector('.tab[href="' + CSS.escape(pressed.getAttribute("href") ?? "") + '"]');
	if (pressed.matches('[rel="next"]')) {
		const all = [...document.querySelectorAll("main .row")];
		return all[last ? all.indexOf(last) + 1 : 0] ?? all.at(-1);
	}
	if (pressed.getAttribute("hx-target") === "#done") return document.getElementById(acted);
	const line = pressed.closest("tbody tr");
	if (line instanceof HTMLTableRowElement) {
		// What came in the place of a line that was taken away.
		const all = [...document.querySelectorAll("#results tbody tr")];
		const next = all[line.sectionRowIndex] ?? all.at(-1);
		return next?.querySelector("form button") ?? next?.querySelector("a") ?? document.querySelector("h1");
	}
	// Undo of a delete brings a row back, after one banner may come another;
	// anything else is about the whole list.
	const place = document.querySelector(pressed.getAttribute("hx-target") ?? "h1");
	return place?.matches(".row, #pinned:not([hidden])") ? place : document.querySelector("h1");
}

/**
 * Focus goes to where the reader was: the same row, or the next one when the
 * row is gone.
 * @param {string} id
 * @param {boolean} button whether a button of the row was pressed, not a key
 */
function stay(id, button) {
	const row = document.getElementById(id);
	if (!row) return;
	if (!row.hidden) {
		if (row.contains(document.activeElement)) return; // nothing was swapped
		const shown = [...row.querySelectorAll(".actions button")].find((b) => b.checkVisibility());
		focus(button && shown ? shown : row);
		return;
	}
	const all = [...document.querySelectorAll("main .row")];
	const at = all.indexOf(row);
	const near = [...all.slice(at), ...all.slice(0, at).reverse()].find((r) => r instanceof HTMLElement && !r.hidden);
	focus(near ?? document.querySelector("h1"));
}

/** @param {Element | null | undefined} element */
function focus(element) {
	if (element instanceof HTMLElement) element.focus({ preventScroll: true });
	element?.scrollIntoView({ block: "nearest" });
}

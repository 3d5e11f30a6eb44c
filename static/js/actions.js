// @ts-check
import { say } from "./announcer.js";
import { on } from "./htmx.js";
import { showEmpty } from "./rows.js";
import { text } from "./texts.js";

/** The row that a request is about. @type {WeakMap<XMLHttpRequest, {id: string, button: boolean}>} */
const about = new WeakMap();

/** The last row before older ones came. @type {Element | undefined} */
let last;

/**
 * After an action without a new page: focus stays near, what was done is said
 * and shown where one looks, and a failure is told.
 */
export function startActions() {
	on("htmx:beforeSend", ({ elt, xhr }) => {
		const row = elt.closest(".row");
		if (row) about.set(xhr, { id: row.id, button: document.activeElement !== row });
		if (elt.matches('[rel="next"]')) last = [...document.querySelectorAll("main .row")].at(-1);
	});
	on("htmx:afterRequest", ({ xhr, successful, requestConfig }) => {
		if (!successful) {
			failed(xhr.status);
			return;
		}
		const row = about.get(xhr);
		// What was pressed; it may have been swapped away by now.
		const pressed = requestConfig?.elt;
		if (row) stay(row.id, row.button);
		showDone();
		showEmpty();
		if (pressed?.matches('[rel="next"]')) joinDays();
		if (!row && pressed && !pressed.isConnected) focus(near(pressed));
	});
	// The place of a row is gone, so that it cannot come back in place: the page does.
	on("htmx:targetError", ({ elt }) => {
		if (elt instanceof HTMLFormElement && elt.closest("#done")) elt.submit();
	});
	document.addEventListener("keydown", (e) => {
		if (e.key === "Escape") document.getElementById("done")?.replaceChildren();
	});
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
	// Undo of a delete brings a row back; anything else is about the whole list.
	const row = document.querySelector(pressed.getAttribute("hx-target") ?? "h1");
	return row?.matches(".row") ? row : document.querySelector("h1");
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

/** What was done stands where one looks, and is said. */
function showDone() {
	const done = document.getElementById("done");
	const said = done?.querySelector("p")?.textContent;
	if (!done || !said) return;
	done.classList.add("floating");
	say(said);
}

/** Older rows of a day that the list has already go on under its heading. */
function joinDays() {
	/** @type {Element | null} */ let before = null;
	for (const day of document.querySelectorAll("#list > section")) {
		if (before?.querySelector("h2")?.textContent !== day.querySelector("h2")?.textContent) {
			before = day;
			continue;
		}
		before?.querySelector("ul")?.append(...(day.querySelector("ul")?.children ?? []));
		day.remove();
	}
}

/** @param {number} status 0: no answer */
function failed(status) {
	const done = document.getElementById("done");
	if (!done || status === 401) return; // 401 leads to the sign-in page
	const p = document.createElement("p");
	p.textContent = text(status === 404 ? "gone" : "failed");
	done.replaceChildren(p);
	showDone();
}

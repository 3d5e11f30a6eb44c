// @ts-check
import { htmx } from "./htmx.js";

/**
 * Single keys for those who go through many notices, unless the user has
 * switched them off. They are listed by `?`.
 */
export function startKeys() {
	const help = document.getElementById("help");
	const shown = document.getElementById("show-keys");
	if (document.body.dataset.keys !== "on" || !(help instanceof HTMLDialogElement)) return;
	if (shown) shown.hidden = false;
	const list = async () => {
		if (!help.firstChild) await htmx()?.ajax("GET", "/keys", { target: help, swap: "innerHTML" });
		if (help.firstChild && !help.open) help.showModal();
	};
	shown?.addEventListener("click", list);

	let going = false; // g was pressed before
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || writes(e.target) || document.querySelector("dialog[open]")) return;
		const first = going;
		going = !first && e.key === "g";
		if (first) {
			follow(document.querySelector(`nav a[data-go="${CSS.escape(e.key)}"]`));
			return;
		}
		const act = e.key === "?" ? list : actions[e.key];
		if (!act || (e.repeat && !"jk".includes(e.key))) return; // a key that is held acts once
		e.preventDefault();
		act();
	});
}

/** @type {Record<string, () => void>} */
const actions = {
	j: () => move(1),
	k: () => move(-1),
	o: () => follow(current()?.querySelector(":is(h2, h3) a") ?? current()?.querySelector("summary")),
	u: () => press(current(), (row) => (row.dataset.state === "unread" ? "/read" : "/unread")),
	d: () => press(current(), () => "/delete"),
	t: () => {
		const link = document.querySelector("#popups :is(a, button)");
		if (link instanceof HTMLElement) link.focus({ preventScroll: true });
	},
	z: () => {
		const undo = document.querySelector("#done form");
		if (undo instanceof HTMLFormElement) undo.requestSubmit();
	},
};

/** @param {Element | null | undefined} link */
function follow(link) {
	if (link instanceof HTMLElement) link.click();
}

/** @param {EventTarget | null} target */
function writes(target) {
	return target instanceof Element && target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]") !== null;
}

/** @returns {HTMLElement[]} */
function rows() {
	return [...document.querySelectorAll("main :is([data-testid=entry], [data-testid=announcement])")].filter((e) => e instanceof HTMLElement).filter((e) => !e.hidden);
}

/** @returns {HTMLElement | undefined} */
function current() {
	return rows().find((row) => row.contains(document.activeElement));
}

/** @param {number} step */
function move(step) {
	const all = rows();
	const at = all.findIndex((row) => row.contains(document.activeElement));
	const next = all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)];
	next?.focus({ preventScroll: true });
	next?.scrollIntoView({ block: "nearest" });
}

/**
 * Presses a button of a row. A row that waits for the answer to another action
 * will be a new one with it, so that this one comes after.
 * @param {HTMLElement | null | undefined} row
 * @param {(row: HTMLElement) => string} action how its address ends
 */
function press(row, action) {
	if (row?.querySelector(".htmx-request")) {
		document.addEventListener("htmx:afterRequest", () => press(document.getElementById(row.id), action), { once: true });
		return;
	}
	const form = row?.querySelector(`form[action$="${row && action(row)}"]`);
	if (form instanceof HTMLFormElement) form.requestSubmit();
}

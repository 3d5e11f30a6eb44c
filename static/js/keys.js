// @ts-check
import { undo } from "./done.js";
import { htmx } from "./htmx.js";
import { asksUntil } from "./later.js";
import { our } from "./mount.js";
import { change, select, selected } from "./select.js";

/**
 * Single-key shortcuts for users who go through many notices, unless they have
 * switched them off. `?` lists them.
 */
export function startKeys() {
	const help = document.getElementById("help");
	const shown = document.getElementById("show-keys");
	if (document.body.dataset.keys !== "on" || !(help instanceof HTMLDialogElement)) return;
	if (shown) shown.hidden = false;
	const list = async () => {
		if (!help.firstChild) await htmx()?.ajax("GET", our("/keys"), { target: help, swap: "innerHTML" });
		if (help.firstChild && !help.open) help.showModal();
	};
	shown?.addEventListener("click", list);

	let going = false; // the previous key was g
	document.addEventListener("keydown", (e) => {
		if ((e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key === "k" && !document.querySelector("dialog[open]")) {
			e.preventDefault();
			import("./commands.js").then(({ open }) => open(our("/commands")));
		}
		if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || writes(e.target) || asksUntil() || document.querySelector("dialog[open]")) return;
		const first = going;
		going = !first && e.key === "g";
		if (first) {
			follow(document.querySelector(`a[data-go="${CSS.escape(e.key)}"]`));
			return;
		}
		// Links and buttons inside the row handle Enter themselves.
		if (e.key === "Enter" && e.target !== current()) return;
		const act = e.key === "?" ? list : actions[e.key];
		if (!act || (e.repeat && !"jk".includes(e.key))) return; // a key held down acts once
		e.preventDefault();
		act();
	});
}

/** @type {Record<string, () => void>} */
const actions = {
	j: () => move(1),
	Enter: () => open(current()),
	k: () => move(-1),
	o: () => open(current()),
	u: () => change(selected().some((row) => row?.dataset.state === "unread") ? "/read" : "/unread") || press(current(), (row) => (row.dataset.state === "unread" ? "/read" : "/unread")),
	e: () => change("archive") || press(current(), () => "archive"), // or "unarchive", in the archive
	h: () => press(current(), (row) => (row.querySelector('[formaction$="/snooze"]') ? "/snooze" : "/wake")),
	m: () => press(current(), () => "mute"), // also unmutes
	n: nextUnread,
	d: () => change("/delete") || press(current(), () => "/delete"),
	x: () => select(current()),
	"/": () => document.getElementById("q")?.focus(),
	t: () => {
		const link = document.querySelector("#popups :is(a, button)");
		if (link instanceof HTMLElement) link.focus({ preventScroll: true });
	},
	z: undo,
};

/** @param {Element | null | undefined} link */
function follow(link) {
	if (link instanceof HTMLElement) link.click();
}

/** Follows the link of a row, or else unfolds the row. @param {HTMLElement | undefined} row */
function open(row) {
	follow(row?.querySelector(":is(h2, h3) a") ?? row?.querySelector(".fold:not([data-fits]) > summary"));
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
	const older = document.querySelector("#pager [rel=next]");
	if (step > 0 && at >= 0 && at === all.length - 1 && older) {
		if (!older.matches(".htmx-request")) follow(older); // its answer moves the focus to the first new row
		return;
	}
	go(all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)]);
}

/** Moves to the next row with a dot, unread or new; after the last one, to the first. */
function nextUnread() {
	const all = rows();
	const at = all.findIndex((row) => row.contains(document.activeElement));
	go([...all.slice(at + 1), ...all].find((row) => row.querySelector(".dot")));
}

/** @param {HTMLElement | undefined} row */
function go(row) {
	row?.focus({ preventScroll: true });
	row?.scrollIntoView({ block: "nearest" });
}

/**
 * Presses a button of a row. If the row waits for the answer to another action, this action follows it, because the
 * answer replaces the row; if the answer removes the row, the action applies to the next one. After the last row it waits
 * for the older ones.
 * @param {HTMLElement | null | undefined} row
 * @param {(row: HTMLElement) => string} action the end of the address
 */
export function press(row, action) {
	const waits = row ? row.matches(".htmx-request, :has(.htmx-request)") : document.querySelector("#pager .htmx-request") !== null;
	if (waits) {
		document.addEventListener("htmx:afterRequest", () => {
			const now = row && document.getElementById(row.id);
			press(now && !now.hidden ? now : current(), action);
		}, { once: true });
		return;
	}
	const end = row && action(row);
	// By its button, which the focus may not have: htmx remembers the focused button of a form as the pressed one.
	follow(row?.querySelector(`form[action$="${end}"] button, [formaction$="${end}"]`));
}

// @ts-check
import { say } from "./announcer.js";
import { clock } from "./clock.js";
import { Countdown } from "./countdown.js";
import { text } from "./texts.js";
import { keep, lastUndo, ready, undoable } from "./undo.js";

const stays = 10_000; // ms for which the line is shown

/** Removes the line after a while. @type {Countdown<string> | undefined} */
let leaving;

/** Returns the line for the result of the last action, as it is in the page now. */
export function done() {
	return document.getElementById("done");
}

/**
 * Removes the line after a while, but not while it has the pointer or the focus, nor
 * while the page is hidden.
 * @param {import("./clock.js").Clock} [time]
 */
export function startDone(time = clock) {
	leaving = new Countdown(() => clear(), time);
	const countdown = leaving;
	/** @param {EventTarget | null} target */
	const inside = (target) => target instanceof Element && target.closest("#done") !== null;
	document.addEventListener("pointerover", (e) => countdown.stand("pointer", e.pointerType !== "touch" && inside(e.target)));
	document.addEventListener("focusin", (e) => countdown.stand("focus", inside(e.target)));
	document.addEventListener("focusout", (e) => countdown.stand("focus", inside(e.relatedTarget)));
	document.addEventListener("visibilitychange", () => countdown.stand("hidden", document.visibilityState === "hidden"));
}

/**
 * Shows and announces the result of an action, once: each answer brings a new line.
 * The line has Undo for the last change that can be undone, shows how many there are,
 * and disappears after a while; `z` still undoes after that.
 */
export function showDone() {
	const line = done();
	const result = line?.querySelector("p")?.textContent;
	if (!line || !result || line.dataset.shown) return;
	const own = line.querySelector("form");
	if (own) keep(own);
	const undo = own ?? lastUndo();
	const more = undoable() > (own ? 1 : 0);
	show(line, more ? text("undoable", { Text: result, Count: undoable() }) : result, undo);
	leaving?.set("done", stays);
}

/**
 * Undoes the last change that can be undone, once requests in progress have finished: their answers may add another
 * change.
 */
export function undo() {
	if (document.querySelector("#done .htmx-request, main .row.htmx-request, main .row .htmx-request")) {
		document.addEventListener("htmx:afterRequest", () => undo(), { once: true }); // one listener per call
		return;
	}
	const line = done();
	let form = line?.querySelector("form") ?? null;
	if (line && !form && (form = lastUndo())) show(line, text("undoable", { Text: "", Count: undoable() }).trim(), form);
	form?.requestSubmit();
}

/**
 * @param {HTMLElement} line
 * @param {string} phrase
 * @param {HTMLFormElement | null} [undo]
 */
function show(line, phrase, undo) {
	leaving?.forget("done");
	line.dataset.shown = "true";
	line.classList.add("floating");
	const p = document.createElement("p");
	p.textContent = phrase;
	const buttons = document.createElement("div");
	buttons.className = "buttons";
	const fresh = undo && !line.contains(undo);
	if (undo) buttons.append(undo);
	buttons.append(closing());
	line.replaceChildren(p, buttons);
	if (undo && fresh) ready(undo);
	say(phrase);
}

/** Marks a line that came with the page as shown: it is not news. */
export function knowDone() {
	const line = done();
	if (line) line.dataset.shown = "true";
}

/**
 * Shows a failure until a later action succeeds.
 * @param {string} phrase
 */
export function showFailure(phrase) {
	report(phrase);
	const line = done();
	if (line) line.dataset.failed = "true";
}

/**
 * Reports an event that the reader did not cause, with a link to continue.
 * @param {string} phrase
 * @param {{href: string, text: string}} [way]
 */
export function report(phrase, way) {
	const line = done();
	if (!line) return;
	delete line.dataset.failed;
	show(line, phrase);
	if (!way) return;
	const link = document.createElement("a");
	[link.className, link.href, link.textContent] = ["button small", way.href, way.text];
	line.querySelector(".buttons")?.prepend(link);
}

/** Removes a failure after a success. */
export function clearFailure() {
	if (done()?.dataset.failed) clear();
}

/** Removes the line and returns whether it had the focus. */
export function clear() {
	const line = done();
	const had = line?.contains(document.activeElement) ?? false;
	leaving?.forget("done");
	leaving?.stand("pointer", false); // the line disappears without a pointer event
	line?.replaceChildren();
	line?.classList.remove("floating");
	if (line) delete line.dataset.failed;
	return had;
}

function closing() {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "button small close";
	button.setAttribute("aria-label", text("close"));
	button.textContent = "✕";
	return button;
}

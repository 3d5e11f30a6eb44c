// @ts-check
import { say } from "./announcer.js";
import { text } from "./texts.js";

/** The line that says what was done, as it stands in the page at the moment. */
export function done() {
	return document.getElementById("done");
}

/**
 * Shows and says what was done, once: a line that an answer has brought is a new
 * one. It stays until it is closed or there is another, because it has Undo.
 */
export function showDone() {
	const line = done();
	const said = line?.querySelector("p")?.textContent;
	if (!line || !said || line.dataset.shown) return;
	line.dataset.shown = "true";
	line.classList.add("floating");
	const buttons = document.createElement("div");
	buttons.className = "buttons";
	const undo = line.querySelector("form");
	if (undo) buttons.append(undo);
	buttons.append(closing());
	line.append(buttons);
	say(said);
}

/** What came with the page is no news. */
export function knowDone() {
	const line = done();
	if (line) line.dataset.shown = "true";
}

/**
 * Tells that something did not work, until something does.
 * @param {string} phrase
 */
export function showFailure(phrase) {
	tell(phrase);
	const line = done();
	if (line) line.dataset.failed = "true";
}

/**
 * Tells what has happened without the reader, and where to go on from it.
 * @param {string} phrase
 * @param {{href: string, text: string}} [way]
 */
export function tell(phrase, way) {
	const line = done();
	if (!line) return;
	const p = document.createElement("p");
	p.textContent = phrase;
	line.replaceChildren(p);
	delete line.dataset.shown;
	delete line.dataset.failed;
	showDone();
	if (!way) return;
	const link = document.createElement("a");
	[link.className, link.href, link.textContent] = ["button small", way.href, way.text];
	line.querySelector(".buttons")?.prepend(link);
}

/** What did not work works again. */
export function clearFailure() {
	if (done()?.dataset.failed) clear();
}

/** Takes the line away. Whether it had the focus is returned. */
export function clear() {
	const line = done();
	const had = line?.contains(document.activeElement) ?? false;
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

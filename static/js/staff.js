// @ts-check
import { startCopy } from "./copy.js";
import { startDevices } from "./devices.js";
import { startForm } from "./forms.js";
import { htmx } from "./htmx.js";
import { startMany } from "./many.js";
import { startSaves } from "./saves.js";
import { startName, startSend } from "./send.js";
import { showTimes } from "./times.js";

let shown = new AbortController(); // aborted when another page replaces this one

/**
 * Starts the forms of the staff pages, and those of Settings.
 * @param {boolean} [answered] the page is the answer to one of them
 */
export function startStaff(answered = false) {
	shown.abort();
	const { signal } = (shown = new AbortController());
	startCopy();
	startDevices();
	startMany(signal);
	for (const form of document.querySelectorAll("form[data-kept]")) {
		if (form instanceof HTMLFormElement) startForm(form, { show, signal }, answered);
	}
	for (const form of document.querySelectorAll("form[data-saves]")) {
		if (form instanceof HTMLFormElement) startSaves(form, signal);
	}
	for (const summary of document.querySelectorAll(".adding > summary")) {
		// Not every toggle: a form that opens with a restored draft takes no focus.
		summary.addEventListener("click", () => summary.parentElement?.addEventListener("toggle", beginTyping, { once: true, signal }), { signal });
	}
	const form = document.getElementById("send");
	if (form instanceof HTMLFormElement) startSend(form, signal, answered);
	for (const field of document.querySelectorAll("input[data-names]")) {
		if (field instanceof HTMLInputElement) startName(field);
	}
}

/** Gives the focus to the first field of the form for another entry, when that opens. @param {Event} e */
function beginTyping(e) {
	if (!(e.target instanceof HTMLDetailsElement) || !e.target.open) return;
	const field = e.target.querySelector("form :is(input:not([type=hidden]), textarea, select)");
	if (field instanceof HTMLElement) field.focus();
}

/**
 * Shows the page that answers a form: with faults, a preview, or a question.
 * @param {Document} page
 */
function show(page) {
	const [here, there] = [document.getElementById("main"), page.getElementById("main")];
	if (!here || !there) return;
	here.replaceChildren(...there.childNodes);
	document.title = page.title;
	htmx()?.process(here);
	startStaff(true);
	showTimes();
	const focus = here.querySelector("[autofocus]") ?? here.querySelector("h1");
	if (!(focus instanceof HTMLElement)) return;
	if (focus.tabIndex < 0) focus.tabIndex = -1; // an h1 needs it to take the focus
	focus.focus();
}

// @ts-check
// Input that was typed into a form and not sent yet, kept in this tab: it is restored after
// Back, Reload or a sign-in. It belongs to one user and is dropped when they sign out.

import { our } from "./mount.js";
import { text } from "./texts.js";

/** @typedef {[string, string][]} Fields */
/** @typedef {{user: string, forms: Record<string, Fields>}} Kept */

const place = "carillon-drafts";
const most = 8; // forms; the one typed into longest ago is dropped
const notKept = ["page_user", "action", "back", "password"]; // the first three describe the page, and a password is kept nowhere

/** Returns the fields of a form. @param {HTMLFormElement} form @returns {Fields} */
export function fieldsOf(form) {
	/** @type {Fields} */ const fields = [];
	for (const [name, value] of new FormData(form)) if (typeof value === "string" && !notKept.includes(name)) fields.push([name, value]);
	return fields;
}

/**
 * Fills a form with fields.
 * @param {HTMLFormElement} form
 * @param {Fields} fields
 * @param {(control: Element) => boolean} [wanted] which controls; default: all of them
 */
export function fill(form, fields, wanted = () => true) {
	for (const control of [...form.elements].filter(wanted)) {
		if (control instanceof HTMLInputElement && ["checkbox", "radio"].includes(control.type)) {
			control.checked = fields.some(([name, value]) => name === control.name && value === control.value);
		} else if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement || control instanceof HTMLSelectElement) {
			const found = fields.find(([name]) => name === control.name);
			if (found) control.value = found[1];
		}
	}
}

/** Reports whether a control still holds the value the server sent. @param {Element} control */
export function untouched(control) {
	if (control instanceof HTMLInputElement && control.type === "radio") { // choosing one changes two radio buttons
		const all = [...(control.form?.elements ?? [])].filter((e) => e instanceof HTMLInputElement);
		return all.every((radio) => radio.name !== control.name || radio.checked === radio.defaultChecked);
	}
	if (control instanceof HTMLInputElement) return control.value === control.defaultValue && control.checked === control.defaultChecked;
	if (control instanceof HTMLTextAreaElement) return control.value === control.defaultValue;
	if (control instanceof HTMLSelectElement) {
		const sent = Math.max(0, [...control.options].findIndex((option) => option.defaultSelected));
		return control.selectedIndex === sent;
	}
	return true;
}

/** Returns the key of a form's draft. @param {HTMLFormElement} form */
export function keyOf(form) {
	return `${form.dataset.kept} ${location.pathname}${location.search}`;
}

/** @param {string} key of a form @returns {Fields | undefined} */
export function draftOf(key) {
	return read()?.forms[key];
}

/** @param {string} key @param {Fields | null} fields null: nothing to keep */
export function keepDraft(key, fields) {
	const { user } = document.body.dataset;
	if (!user) return;
	const kept = read() ?? { user, forms: {} };
	delete kept.forms[key];
	if (fields) kept.forms[key] = fields; // now the newest
	const oldest = Object.keys(kept.forms)[0];
	if (oldest && Object.keys(kept.forms).length > most) delete kept.forms[oldest];
	try {
		sessionStorage.setItem(place, JSON.stringify(kept));
	} catch {
		// Without storage only the page itself has the text.
	}
}

/** Drops all drafts, here and in the other tabs of the browser, when the user signs out. */
export function startDrafts() {
	if (read() === null && document.body.dataset.user) forget(); // another user typed it
	const others = "BroadcastChannel" in window ? new BroadcastChannel(place) : null;
	others?.addEventListener("message", forget);
	document.addEventListener("submit", ({ target }) => {
		if (!(target instanceof HTMLFormElement) || target.getAttribute("action") !== our("/logout")) return;
		forget();
		others?.postMessage("out");
	});
}

function forget() {
	try {
		sessionStorage.removeItem(place);
	} catch {
		// Without storage there is nothing to drop.
	}
}

/** @returns {Kept | null} only the drafts of this page's user */
function read() {
	try {
		const kept = JSON.parse(sessionStorage.getItem(place) ?? "null");
		return kept && kept.user === document.body.dataset.user ? kept : null;
	} catch {
		return null;
	}
}

/**
 * Builds the line that reports a restored draft and offers to discard it.
 * @param {HTMLFormElement} form
 * @param {Fields} first the form's content without the draft
 * @param {() => void} drop
 */
export function restored(form, first, drop) {
	const [line, button] = [document.createElement("p"), document.createElement("button")];
	[line.className, line.dataset.testid] = ["restored hint", "restored"];
	[button.type, button.className, button.textContent] = ["button", "button small", text("draft_discard")];
	button.addEventListener("click", () => {
		fill(form, first);
		drop();
		line.remove();
		form.dispatchEvent(new Event("change", { bubbles: true })); // for everything that listens to the form
		const next = [...form.elements].find((e) => e.checkVisibility() && e.matches("input, textarea, select"));
		if (next instanceof HTMLElement) next.focus();
	});
	line.append(text("draft_restored"), " ", button);
	return line;
}

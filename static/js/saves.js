// @ts-check
// Forms of settings: a script saves each change at once, and says so beside it.
import { clock } from "./clock.js";
import { restore, valuesOf } from "./choices.js";
import { our } from "./mount.js";

/**
 * The browser functions that a form needs. Tests pass in others.
 * @typedef {object} Way
 * @property {(form: HTMLFormElement, body: URLSearchParams) => Promise<Response>} ask
 * @property {(address: string) => void} go
 * @property {import("./clock.js").Clock} time
 */

const stays = 4000; // ms for which "Saved" is shown
const typing = 800; // ms after which a time that is being typed, or a language gone through by keys, is saved

/** @type {Way} */
const browser = {
	ask: (form, body) => fetch(form.getAttribute("action") ?? "", { method: "POST", headers: { "Carillon-Form": "1" }, body }),
	go: (address) => location.assign(address),
	time: clock,
};

/**
 * Saves a form whenever it changes; one with `data-whole`, when it is sent. A change that cannot be saved is undone.
 * @param {HTMLFormElement} form
 * @param {AbortSignal} signal aborted when the form has left the page
 * @param {Way} [way]
 */
export function startSaves(form, signal, way = browser) {
	const whole = "whole" in form.dataset;
	let kept = valuesOf(form, true); // as the server has them
	let busy = false;
	/** @type {Element | undefined} */ let next; // changed while an earlier change is being saved
	/** @type {() => void} */ let wait = () => {};

	/** @param {Element} control that was changed */
	const save = async (control) => {
		wait();
		next = control;
		if (busy) return; // never two at a time: the older one could arrive last
		busy = true;
		while (next) {
			const saving = next;
			next = undefined;
			const sent = valuesOf(form);
			const why = await send(form, saving, way);
			if (why === "") kept = sent;
			else if (!whole) restore(kept, sent);
			show(saving, why || (form.dataset.saves ?? ""), why !== "", way.time);
		}
		busy = false;
	};
	form.addEventListener("submit", (e) => {
		e.preventDefault();
		save(e.submitter ?? form);
	}, { signal });
	if (whole) return;
	form.addEventListener("change", ({ target }) => {
		if (!(target instanceof Element)) return;
		wait();
		if (target.matches("[type=time], [name=locale]")) wait = way.time.after(typing, () => save(target));
		else save(target);
	}, { signal });
	for (const [control, value] of valuesOf(form)) if (kept.get(control) !== value) save(control); // changed before this script ran
}

/**
 * Sends a form. Returns why it is not saved; empty: it is.
 * @param {HTMLFormElement} form
 * @param {Element} control
 * @param {Way} way
 */
async function send(form, control, way) {
	const failed = form.dataset.unsaved ?? "";
	const body = new URLSearchParams();
	for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
	try {
		const answer = await way.ask(form, body);
		const to = answer.status === 204 ? answer.headers.get("Location") : null;
		if (!to) return reason(await answer.text()) || failed;
		if (new URL(to, location.href).pathname === our("/login")) {
			way.go(our(`/login?next=${encodeURIComponent(location.pathname + location.search)}`));
			return failed;
		}
		if (control.getAttribute("name") === "locale") way.go(to); // the page itself changes its language
		look(body);
		return "";
	} catch {
		return failed;
	}
}

/** @param {string} answer a page with the form and what is wrong with it */
function reason(answer) {
	const page = new DOMParser().parseFromString(answer, "text/html");
	return page.querySelector("form .fault, [data-testid=preferences-fault] p")?.textContent?.trim() ?? "";
}

/** Gives the page the look that was chosen. @param {URLSearchParams} chosen */
function look(chosen) {
	const { dataset } = document.documentElement;
	for (const [name, usual] of Object.entries({ theme: "auto", density: "comfortable" })) {
		const value = chosen.get(name);
		if (value === usual) delete dataset[name];
		else if (value) dataset[name] = value;
	}
}

/** @type {WeakMap<Element, () => void>} */
const hiding = new WeakMap();

/**
 * @param {Element} control
 * @param {string} phrase
 * @param {boolean} bad
 * @param {import("./clock.js").Clock} time
 */
function show(control, phrase, bad, time) {
	const line = control.closest("[data-setting]")?.querySelector(".saved");
	if (!line) return;
	hiding.get(line)?.();
	line.classList.toggle("unsaved", bad);
	line.textContent = phrase;
	if (!bad) hiding.set(line, time.after(stays, () => line.replaceChildren()));
}

// @ts-check
// The form of a notice is saved on the server while it is being written, and its address
// becomes the draft's address: Reload, a restored tab and another browser show it again. What
// the server does not have yet is kept in the tab (see drafts.js).
import { clock } from "./clock.js";
import { fieldsOf, keepDraft, keyOf } from "./drafts.js";

/** @typedef {(form: HTMLFormElement, signal: AbortSignal) => Promise<HTMLElement | null>} Ask the new line about the draft; null: not saved */

const pause = 3000; // ms between two saves
const patience = 10_000; // ms until the next attempt after a failed one

let came = ""; // the address before it became the draft's; empty: it has not changed

/**
 * @param {HTMLFormElement} form
 * @param {AbortSignal} gone aborted when the form has left the page
 * @param {boolean} answered the form holds input that was just sent, not what the server has
 * @param {Ask} [ask]
 * @param {import("./clock.js").Clock} [time]
 */
export function startSaving(form, gone, answered, ask = askServer, time = clock) {
	const once = form.elements.namedItem("once");
	if (!(once instanceof HTMLInputElement)) return;
	const now = () => JSON.stringify(fieldsOf(form));
	let saved = answered ? "" : now(); // what the server has stored or rejected
	let callOff = () => {};
	let waiting = false;
	let request = new AbortController();

	/** @param {number} ms */
	const plan = (ms) => {
		if (waiting || gone.aborted) return;
		waiting = true;
		callOff = time.after(ms, save);
	};
	const save = async () => {
		callOff();
		waiting = false;
		const typed = now();
		if (typed === saved) return;
		if (form.querySelector("[aria-disabled=true]")) return plan(pause); // it is being sent
		request.abort();
		const { signal } = (request = new AbortController());
		waiting = true;
		let next = pause;
		try {
			const line = await ask(form, signal);
			if (signal.aborted) return;
			if (line) take(line, typed);
			else explain("waits");
			if (!line) next = patience;
		} catch {
			if (signal.aborted) return;
			explain("offline");
			next = patience;
		} finally {
			if (!signal.aborted) waiting = false;
		}
		if (now() !== saved) plan(next);
	};
	/** @param {HTMLElement} line @param {string} typed */
	const take = (line, typed) => {
		line.textContent = line.textContent?.trim() ?? "";
		state()?.replaceWith(line);
		if (line.dataset.once !== once.value) { // this form was sent: what it holds now is another notice
			once.value = line.dataset.once ?? "";
			return;
		}
		saved = typed;
		if (line.classList.contains("unsaved")) return;
		const here = location.pathname + location.search;
		keepDraft(keyOf(form), null);
		const to = line.textContent ? `${location.pathname}?draft=${once.value}` : came || here;
		if (line.textContent) came ||= here;
		if (to !== here) history.replaceState(history.state, "", to);
		form.dispatchEvent(new CustomEvent("carillon:saved", { detail: typed }));
	};
	/** @param {"waits" | "offline"} why */
	const explain = (why) => {
		const line = state();
		if (line) line.textContent = line.dataset[why] ?? "";
	};

	form.addEventListener("input", () => plan(pause));
	form.addEventListener("change", () => plan(pause));
	form.addEventListener("submit", () => {
		request.abort();
		callOff();
		waiting = false;
		plan(pause);
	});
	// Back shows the form as the browser remembers it.
	form.addEventListener("carillon:leave", () => came && history.replaceState(history.state, "", came));
	document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && save(), { signal: gone });
	addEventListener("online", () => save(), { signal: gone });
	gone.addEventListener("abort", () => callOff());
	plan(pause); // input typed before this script ran
}

function state() {
	return document.getElementById("draft-state");
}

/** @type {Ask} */
async function askServer(form, signal) {
	const body = new URLSearchParams({ save: "1" });
	for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
	const answer = await fetch(form.action, { method: "POST", headers: { "HX-Request": "true" }, body, signal, keepalive: true });
	if (!answer.ok) return null;
	const line = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("draft-state");
	return line && document.importNode(line, true);
}

// @ts-check
import { say } from "./announcer.js";
import { clock } from "./clock.js";
import { Faults } from "./faults.js";
import { showTimes } from "./times.js";

/** @typedef {(form: HTMLFormElement, signal: AbortSignal) => Promise<ParentNode | null>} Ask null: there is no preview */

const pause = 400; // ms without a change before a request

/**
 * Shows a notice while it is being written, as its recipients will see it, with the
 * number of recipients and the faults.
 * @param {HTMLFormElement} form
 * @param {AbortSignal} gone aborted when the form has left the page
 * @param {Ask} [ask]
 * @param {import("./clock.js").Clock} [time]
 * @param {(phrase: string) => void} [speak]
 */
export function startPreview(form, gone, ask = askServer, time = clock, speak = say) {
	const faults = new Faults(form);
	let callOff = () => {};
	let request = new AbortController();
	/** @type {ParentNode | null} */ let waiting = null; // an answer that is not shown yet
	let pressed = false;
	let silent = true; // until the sender has changed something

	/** @param {number} ms */
	const plan = (ms) => {
		silent = false;
		callOff();
		request.abort();
		callOff = time.after(ms, look);
	};
	const look = async () => {
		const { signal } = (request = new AbortController());
		try {
			const answer = await ask(form, signal);
			if (signal.aborted || !answer) return;
			waiting = answer;
			faults.take(answer);
			show();
		} catch {
			return; // the next change repeats the request; sending validates in any case
		}
	};
	// A button must not move while it is being pressed.
	const show = () => {
		if (pressed) return;
		const before = shownCount();
		if (waiting) {
			put(waiting);
			form.dispatchEvent(new Event("carillon:previewed"));
		}
		waiting = null;
		const news = faults.show();
		const count = shownCount();
		if (silent) return;
		if (news.length > 0) speak(news.join(" "));
		else if (count && count !== before) speak(count);
	};

	form.addEventListener("input", () => plan(pause));
	form.addEventListener("change", () => plan(0)); // a choice was made, or a text field was left
	form.addEventListener("focusout", () => time.after(0, show)); // known faults of the field just left are due now
	document.addEventListener("pointerdown", () => (pressed = true), { signal: gone });
	for (const end of ["pointerup", "pointercancel"]) {
		document.addEventListener(end, () => {
			pressed = false;
			time.after(0, show);
		}, { signal: gone });
	}
	gone.addEventListener("abort", () => {
		callOff();
		request.abort();
	});
	// Links in the preview open a new tab: they must not lead away from the form.
	document.getElementById("preview")?.addEventListener("click", (e) => {
		const link = e.target instanceof Element ? e.target.closest("a") : null;
		if (link) [link.target, link.rel] = ["_blank", "noopener"];
	});
	// Input that came from the address, or was restored with the page, fires no event.
	if (["to", "to_role", "to_audience", "type", "title"].some((name) => new FormData(form).getAll(name).some(Boolean))) look();
}

function shownCount() {
	return document.querySelector("#to-count [data-testid=recipients]")?.textContent ?? "";
}

/** @param {ParentNode} answer */
function put(answer) {
	for (const id of ["preview", "to-count", "send-label", "body-lost", "expires_in-hint", "to-meant", "type-mark", "type-name"]) {
		const [here, there] = [document.getElementById(id), answer.querySelector(`#${id}`)];
		if (here && there && here.innerHTML !== there.innerHTML) here.replaceChildren(...there.childNodes);
	}
	showTimes();
}

/** @type {Ask} */
async function askServer(form, signal) {
	const body = new URLSearchParams({ preview: "1" });
	for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
	const answer = await fetch(form.action, { method: "POST", headers: { "HX-Request": "true" }, body, signal });
	if (!answer.ok) return null;
	return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// @ts-check
import { say } from "./announcer.js";
import { clock } from "./clock.js";
import { startCompletion } from "./complete.js";
import { startPreview } from "./preview.js";
import { text } from "./texts.js";

// ms after which a form that led nowhere can be sent again: no answer takes longer.
const longest = 15_000;

/**
 * What the form of a notice does while it is written.
 * @param {HTMLFormElement} form
 */
export function startSend(form) {
	const to = document.getElementById("to");
	const names = document.getElementById("to-names");
	const target = () => String(new FormData(form).get("target"));
	if (to instanceof HTMLTextAreaElement && names) startCompletion(to, names, target);
	const type = document.getElementById("type");
	const types = document.getElementById("type-names");
	if (type instanceof HTMLInputElement && types) startCompletion(type, types, () => "type");
	startPreview(form);
	sendOnce(form);
}

/**
 * Completes the one name of a field, from the list after it.
 * @param {HTMLInputElement} field
 */
export function startName(field) {
	const list = field.nextElementSibling;
	if (list instanceof HTMLElement) startCompletion(field, list, () => field.dataset.names ?? "");
}

/**
 * Sends a form once, however often its button is pressed.
 * @param {HTMLFormElement} form
 * @param {import("./clock.js").Clock} [time]
 */
export function sendOnce(form, time = clock) {
	/** @type {(() => void) | undefined} */ let again;
	form.addEventListener("submit", (e) => {
		if (again) {
			e.preventDefault();
			return;
		}
		const button = e.submitter;
		const label = button?.textContent ?? "";
		const callOff = time.after(longest, () => again?.());
		again = () => {
			callOff();
			again = undefined;
			button?.removeAttribute("aria-disabled");
			if (button) button.textContent = label;
		};
		// Not `disabled`: its name and value are to be sent.
		button?.setAttribute("aria-disabled", "true");
		if (!button || button.getAttribute("name") === "preview") return;
		button.style.minWidth = `${button.offsetWidth}px`; // the buttons beside it stay
		const busy = form.dataset.edits ? text("saving") : text("sending");
		button.textContent = busy;
		say(busy);
	});
	// Who comes back finds the form as it was left.
	addEventListener("pageshow", () => again?.());
}

// @ts-check
// The line beside the buttons of a form with the reason why the form was not sent.
import { say } from "./announcer.js";
import { text } from "./texts.js";

/** @param {number} status of an answer without the form */
export function reason(status) {
	return text(status === 429 || status === 503 ? "unsent_busy" : "unsent_failed", { Status: String(status) });
}

/**
 * Shows beside the buttons why nothing was sent.
 * @param {HTMLFormElement} form
 * @param {string} phrase empty: removes the line
 */
export function explain(form, phrase) {
	let line = form.querySelector(".unsent");
	if (!phrase) return line?.remove();
	if (!line) {
		line = document.createElement("p");
		line.className = "unsent";
		line.setAttribute("data-testid", "unsent");
		(form.querySelector(".buttons") ?? form).after(line);
		if (!form.querySelector(".buttons")) form.append(line);
	}
	line.textContent = phrase;
	line.scrollIntoView({ block: "nearest" });
	say(phrase);
}

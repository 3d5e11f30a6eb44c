// @ts-check
import { text } from "./texts.js";

/**
 * After a type was muted on this page, each row of that type offers to unmute it, and
 * vice versa.
 */
export function startMutes() {
	document.addEventListener("carillon:muted", (e) => {
		const { type, name, muted } = /** @type {CustomEvent<{type: string, name: string, muted: boolean}>} */ (e).detail;
		for (const form of document.querySelectorAll('.row form[action$="/settings/mute"]')) {
			const [about, turns] = ["type", "muted"].map((name) => form.querySelector(`input[name=${name}]`));
			if (about instanceof HTMLInputElement && turns instanceof HTMLInputElement && about.value === type) turn(form, turns, name, muted);
		}
	});
}

/** @param {Element} form @param {HTMLInputElement} turns @param {string} name of the type @param {boolean} muted */
function turn(form, turns, name, muted) {
	turns.value = muted ? "0" : "1";
	const [button, icon] = [form.querySelector("button"), form.querySelector("use")];
	const title = form.closest(".row")?.querySelector("h3 > [dir]")?.textContent ?? "";
	if (button) button.title = text(muted ? "unmute" : "mute", { Type: name });
	button?.setAttribute("aria-label", text(muted ? "unmute_named" : "mute_named", { Type: name, Title: title }));
	icon?.setAttribute("href", (icon.getAttribute("href") ?? "").replace(/#.*/, muted ? "#bell" : "#bell-off"));
}

// @ts-check
import { startCategory } from "./category.js";
import { clock } from "./clock.js";
import { startCompletion } from "./complete.js";
import { startLink, startMarkup, startTitle } from "./compose.js";
import { askServer } from "./offered.js";
import { startPreview } from "./preview.js";
import { isRecipient, keyOf, Recipients } from "./recipients.js";
import { startSaving } from "./savedraft.js";
import { startTokens } from "./tokens.js";

/**
 * Starts the completion, the preview and the saving of the notice form.
 * @param {HTMLFormElement} form
 * @param {AbortSignal} signal aborted when the form has left the page
 * @param {boolean} answered the form holds input that was just sent
 */
export function startSend(form, signal, answered) {
	const [to, names] = [form.querySelector(".recipients #to"), document.getElementById("to-names")];
	if (to instanceof HTMLTextAreaElement && names) startRecipients(form, to, names);
	startMeant(form);
	startTitle(form);
	startMarkup(form);
	startLink(form);
	openMore(form);
	const [type, types] = [document.getElementById("type"), document.getElementById("type-names")];
	if (type instanceof HTMLInputElement && types) startCategory(type, types);
	startPreview(form, signal);
	startSaving(form, signal, answered);
}

/**
 * Shows the recipients as tokens in one field, and suggests more: people, groups and followers while there are none, then
 * only those of the same kind.
 * @param {HTMLFormElement} form
 * @param {HTMLTextAreaElement} to
 * @param {HTMLElement} list
 */
function startRecipients(form, to, list) {
	const end = new AbortController();
	const known = async (/** @type {string} */ name) => {
		const found = await askServer(name, "user", end.signal).catch(() => []);
		return found.some((user) => user.name.toLowerCase() === name.toLowerCase());
	};
	const recipients = new Recipients(form, to);
	form.classList.add("one-to");
	const { entry, add } = startTokens(to, recipients, known);
	startCompletion(entry, list, () => "to", async (part, kind, signal) => {
		const chosen = recipients.read(part);
		const of = chosen.length > 0 || recipients.kind === "audience" ? recipients.kind : "";
		const found = await askServer(part, kind, signal, of);
		return found.filter((one) => !chosen.some((other) => isRecipient(one) && keyOf(other) === keyOf(one)));
	}, clock, (one) => isRecipient(one) && add(one));
	// The list of faults links to the fields that stand behind this one.
	form.parentElement?.addEventListener("click", (e) => {
		if (!(e.target instanceof Element && e.target.closest("a[href='#to'], a[href='#to_role'], a[href='#to_audience']"))) return;
		e.preventDefault();
		to.focus();
	});
}

/**
 * Puts a suggested name in the place of an unknown one.
 * @param {HTMLFormElement} form
 */
function startMeant(form) {
	form.addEventListener("click", ({ target }) => {
		const to = form.elements.namedItem("to");
		if (!(target instanceof HTMLElement && target.matches("#to-meant button") && to instanceof HTMLTextAreaElement)) return;
		const [typed, name] = [target.dataset.typed ?? "", target.textContent ?? ""];
		const replaced = (/** @type {string} */ part) => (part.trim() === typed ? part.replace(typed, () => name) : part);
		// A name of several words stands alone between commas; one of a single word may not.
		to.value = to.value.split(/([,;，；、\t\r\n])/).map((part) => replaced(part).split(/(\s+)/).map(replaced).join("")).join("");
		to.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertReplacementText" }));
		to.focus();
	});
}

/** Shows the fields under "More options" if one has input. @param {HTMLFormElement} form */
function openMore(form) {
	const more = document.getElementById("more");
	if (!(more instanceof HTMLDetailsElement)) return;
	const given = [...form.elements].some((e) => more.contains(e) && (e instanceof HTMLInputElement && e.type === "checkbox" ? e.checked : "value" in e && e.value !== ""));
	if (given) more.open = true;
}

/**
 * Completes the single name in a field, using the list after it.
 * @param {HTMLInputElement} field
 */
export function startName(field) {
	const list = field.nextElementSibling;
	if (list instanceof HTMLElement) startCompletion(field, list, () => field.dataset.names ?? "");
}

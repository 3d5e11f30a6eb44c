// @ts-check
import { askServer, startCompletion } from "./complete.js";
import { startPreview } from "./preview.js";
import { startSaving } from "./savedraft.js";
import { startTokens } from "./tokens.js";

/**
 * Starts the completion, the preview and the saving of the notice form.
 * @param {HTMLFormElement} form
 * @param {AbortSignal} signal aborted when the form has left the page
 * @param {boolean} answered the form holds input that was just sent
 */
export function startSend(form, signal, answered) {
	const to = document.getElementById("to");
	const names = document.getElementById("to-names");
	const target = () => String(new FormData(form).get("target"));
	if (to instanceof HTMLTextAreaElement && names) startRecipients(to, names, target);
	startKeeping(form);
	startTopic(form);
	startMeant(form);
	openMore(form);
	const type = document.getElementById("type");
	const types = document.getElementById("type-names");
	if (type instanceof HTMLInputElement && types) startCompletion(type, types, () => "type");
	startPreview(form, signal);
	startSaving(form, signal, answered);
}

/**
 * Shows the names as tokens, and completes the next one.
 * @param {HTMLTextAreaElement} to
 * @param {HTMLElement} list
 * @param {() => string} target
 */
function startRecipients(to, list, target) {
	const end = new AbortController();
	const known = async (/** @type {string} */ name) => {
		const found = await askServer(name, "user", end.signal).catch(() => []);
		return found.some((user) => user.name.toLowerCase() === name.toLowerCase());
	};
	const entry = startTokens(to, () => target() === "user", known);
	startCompletion(entry, list, target, async (part, kind, signal) => {
		const chosen = to.value.split(",").map((name) => name.trim());
		return (await askServer(part, kind, signal)).filter(({ name }) => name === part || !chosen.includes(name));
	});
}

/**
 * Moves the names of users out of their field while another target is chosen, because the
 * server reads that field for every target. They return when users are the target again.
 * @param {HTMLFormElement} form
 */
function startKeeping(form) {
	const [to, kept] = [form.elements.namedItem("to"), form.elements.namedItem("to_kept")];
	if (!(to instanceof HTMLTextAreaElement && kept instanceof HTMLInputElement)) return;
	// In the capture phase: the draft and the preview must see the form after this change.
	form.addEventListener("change", ({ target }) => {
		if (!(target instanceof HTMLInputElement) || target.name !== "target") return;
		const [from, into] = target.value === "user" ? [kept, to] : [to, kept];
		if (from.value && !into.value) [into.value, from.value] = [from.value, ""];
	}, { capture: true });
}

/**
 * Moves the fields that name a topic to the recipients while a topic is the target.
 * @param {HTMLFormElement} form
 */
function startTopic(form) {
	const fields = form.querySelector(".pair.for-notice");
	const move = () => {
		const place = new FormData(form).get("target") === "topic" ? "topic-fields" : "type-fields";
		const [type, to] = [document.getElementById("type"), document.getElementById(place)];
		if (!fields || !to || fields.parentElement === to) return;
		to.append(fields);
		if (type instanceof HTMLInputElement) type.placeholder = place === "topic-fields" ? " " : (type.dataset.usual ?? "");
	};
	form.addEventListener("change", move);
	move();
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

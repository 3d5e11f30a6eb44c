// @ts-check
import { startCategory } from "./category.js";
import { clock } from "./clock.js";
import { startCompletion } from "./complete.js";
import { startLink, startMarkup, startTitle } from "./compose.js";
import { askServer } from "./offered.js";
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
	const [to, names] = [document.getElementById("to"), document.getElementById("to-names")];
	const target = () => String(new FormData(form).get("target"));
	if (to instanceof HTMLTextAreaElement && names) startRecipients(to, names, target, (name) => chooseGroup(form, name));
	startKeeping(form);
	startTopic(form);
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
 * Shows the names as tokens, and completes the next one. While there is none, groups are
 * offered too: a notice goes to people or to groups.
 * @param {HTMLTextAreaElement} to
 * @param {HTMLElement} list
 * @param {() => string} target
 * @param {(name: string) => void} group chooses a group instead
 */
function startRecipients(to, list, target, group) {
	const end = new AbortController();
	const known = async (/** @type {string} */ name) => {
		const found = await askServer(name, "user", end.signal).catch(() => []);
		return found.some((user) => user.name.toLowerCase() === name.toLowerCase());
	};
	const entry = startTokens(to, () => target() === "user", known);
	startCompletion(entry, list, target, async (part, kind, signal) => {
		const chosen = to.value.split(",").map((name) => name.trim());
		const [people, groups] = await Promise.all([
			askServer(part, kind, signal),
			kind === "user" && to.value.trim() === part && part !== "" ? askServer(part, "role", signal) : [],
		]);
		return [
			...people.filter(({ name }) => name === part || !chosen.includes(name)),
			...groups.slice(0, 3).map((found) => ({ ...found, group: true })),
		];
	}, clock, ({ name }) => group(name));
}

/**
 * Makes a group the recipient.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function chooseGroup(form, name) {
	const way = form.querySelector("[name=target][value=role]");
	const box = form.querySelector(`[name=to_role][type=checkbox][value="${CSS.escape(name)}"]`) ?? form.querySelector("input[name=to_role]:not([type=hidden])");
	if (!(way instanceof HTMLInputElement && box instanceof HTMLInputElement)) return;
	[box.checked, way.checked] = [true, true];
	if (box.type !== "checkbox") box.value = name;
	way.dispatchEvent(new Event("change", { bubbles: true }));
	document.getElementById("to_role")?.focus(); // not the box itself, where the key that chose it would send the form
}

/**
 * Moves the names of users out of their field while another target is chosen, because the
 * server reads that field for every target. They return when users are the target again. A
 * notification and an announcement have one start, each in a field of its own.
 * @param {HTMLFormElement} form
 */
function startKeeping(form) {
	const named = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
	const move = (/** @type {string} */ from, /** @type {string} */ into) => {
		const [left, right] = [named(from), named(into)];
		if (left?.value && right && !right.value) [right.value, left.value] = [left.value, ""];
	};
	// In the capture phase: the draft and the preview must see the form after this change.
	form.addEventListener("change", ({ target }) => {
		if (!(target instanceof HTMLInputElement) || target.name !== "target") return;
		if (target.value === "user") move("to_kept", "to");
		else move("to", "to_kept");
		if (target.value === "audience") move("send_at", "starts_at");
		else move("starts_at", "send_at");
	}, { capture: true });
}

/**
 * Moves the fields that name a topic to the recipients while a topic is the target.
 * @param {HTMLFormElement} form
 */
function startTopic(form) {
	const move = () => {
		const topic = new FormData(form).get("target") === "topic";
		for (const name of ["type", "scope"]) {
			const field = document.getElementById(`${name}-field`);
			const to = document.getElementById(topic ? "topic-fields" : `${name}-fields`);
			if (field && to && field.parentElement !== to) to.append(field);
		}
		const type = document.getElementById("type");
		if (type instanceof HTMLInputElement) type.placeholder = topic ? " " : (type.dataset.usual ?? "");
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

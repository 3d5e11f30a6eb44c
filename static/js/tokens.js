// @ts-check
// Shows the recipients of a notice as tokens in one field, each with a button that removes it. The fields that the server
// reads stay in the form, out of sight (see recipients.js); a field for the next recipient replaces them on the screen.
import { mark } from "./option.js";
import { between, keyOf } from "./recipients.js";
import { text } from "./texts.js";

/** @typedef {import("./recipients.js").Recipient} Recipient */
/** @typedef {(name: string) => Promise<boolean>} Known whether a user has this name */

/**
 * @param {HTMLTextAreaElement} field has the names of people
 * @param {import("./recipients.js").Recipients} recipients
 * @param {Known} known
 * @returns {{entry: HTMLInputElement, add: (chosen: Recipient) => void}} the field for the next one
 */
export function startTokens(field, recipients, known) {
	const [box, list, entry] = [document.createElement("div"), document.createElement("ul"), document.createElement("input")];
	box.className = "tokens";
	[entry.id, entry.autocomplete, entry.spellcheck] = [`${field.id}-entry`, "off", false];
	entry.setAttribute("autocapitalize", "none");
	entry.setAttribute("aria-label", field.labels[0]?.textContent ?? "");
	entry.setAttribute("aria-describedby", field.getAttribute("aria-describedby") ?? "");
	if (field.hasAttribute("aria-invalid")) entry.setAttribute("aria-invalid", "true");
	list.append(entryItem(entry));
	box.append(list);
	field.after(box); // the field stays first: its name refers to it
	field.tabIndex = -1;
	field.classList.add("sr-only");
	field.setAttribute("aria-hidden", "true");

	/** @type {Recipient[]} */ let all = [];
	/** Writes the recipients into the form, and notifies it. */
	const write = () => {
		if (recipients.write(all, entry.value.trim())) field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertReplacementText" }));
	};
	const focus = () => (entry.parentElement?.hidden ? list.querySelector("button") : entry)?.focus();
	const draw = () => {
		for (const old of list.querySelectorAll(".token")) old.remove();
		if (entry.parentElement) entry.parentElement.hidden = all.some(({ kind }) => kind === "topic"); // it is alone
		entry.parentElement?.before(...all.map((one, at) => token(one, () => {
			all = all.filter((other) => other !== one);
			draw();
			write();
			const rest = list.querySelectorAll("button");
			(rest[Math.min(at, rest.length - 1)] ?? entry).focus();
		})));
	};
	/** Reads the form, which something else has changed. */
	const read = () => {
		const now = recipients.read(entry.value.trim());
		const same = (/** @type {Recipient[]} */ list) => list.map((one) => `${keyOf(one)} ${one.label}`).join("\n\n");
		if (same(now) === same(all)) return;
		if (now[0]?.kind !== "topic" && now.map(keyOf).join() !== all.map(keyOf).join()) entry.value = "";
		all = now;
		draw();
	};
	/** Makes tokens of what was typed. @param {string} typed */
	const take = async (typed) => {
		const first = all.length === 0;
		const added = recipients.named(typed).filter((one) => !all.some((other) => keyOf(other) === keyOf(one)));
		all = [...all, ...added];
		entry.value = "";
		draw();
		write();
		for (const one of added.filter(({ kind }) => kind === "user")) {
			const group = first && added.length === 1 ? recipients.group(one.name) : null;
			if (!group && !/\s/.test(one.name)) continue;
			if ((await known(one.name)) || !all.includes(one)) continue;
			const parts = group ? [group] : recipients.named(one.name.replace(/\s+/g, ","));
			all = all.flatMap((other) => (other === one ? parts : [other]));
			draw();
			write();
		}
	};
	/** @param {Recipient} chosen */
	const add = (chosen) => {
		recipients.remember(chosen);
		if (all.some((one) => keyOf(one) === keyOf(chosen))) return;
		all = [...all, chosen];
		entry.value = "";
		write();
		all = recipients.read(""); // as the form says it
		draw();
		focus();
	};

	entry.addEventListener("input", (e) => {
		if (e instanceof InputEvent && e.isComposing) return;
		const parts = entry.value.split(between);
		const rest = parts.pop() ?? "";
		if (parts.length > 0) {
			take(parts.join(","));
			entry.value = rest.trimStart();
		}
		write();
	});
	entry.addEventListener("compositionend", write);
	entry.addEventListener("paste", (e) => {
		const pasted = e.clipboardData?.getData("text/plain") ?? "";
		if (!between.test(pasted)) return;
		e.preventDefault();
		take(entry.value + pasted);
	});
	entry.addEventListener("keydown", (e) => {
		if (e.isComposing || entry.getAttribute("aria-expanded") === "true") return; // the list of suggestions has the keys
		if (e.key === "Enter") {
			e.preventDefault();
			take(entry.value);
		} else if (e.key === "Backspace" && entry.value === "" && all.length > 0) {
			e.preventDefault();
			entry.value = all.pop()?.name ?? "";
			draw();
			write();
		}
	});
	entry.addEventListener("blur", () => take(entry.value));
	box.addEventListener("click", ({ target }) => target instanceof Element && !target.closest(".token") && focus());
	field.addEventListener("focus", () => {
		read();
		focus();
	});
	for (const event of ["input", "change", "carillon:previewed"]) field.form?.addEventListener(event, read);
	read();
	return { entry, add };
}

/** @param {HTMLInputElement} entry */
function entryItem(entry) {
	const item = document.createElement("li");
	item.className = "entry";
	item.append(entry);
	return item;
}

/** @param {Recipient} recipient @param {() => void} remove */
function token({ name, label = name, note, tint, icon, initials, sign }, remove) {
	const [item, named, noted, button] = [document.createElement("li"), document.createElement("span"), document.createElement("small"), document.createElement("button")];
	item.className = "token";
	[named.dir, named.textContent, noted.textContent] = ["auto", label, note];
	[button.type, button.textContent] = ["button", "×"];
	button.setAttribute("aria-label", text("remove_token", { Name: label }));
	button.addEventListener("click", remove);
	item.append(tint ? mark(tint, icon, initials) : (sign?.cloneNode(true) ?? ""), named, " ", note ? noted : "", " ", button);
	return item;
}

// @ts-check
// Shows the names in the field of recipients as tokens, each with a button that removes it. The
// textarea holds all names as the server reads them and stays the field that is sent, kept and
// restored; a field for the next name replaces it on the screen.
import { text } from "./texts.js";

const between = /[,;，；、\t\r\n]+/;

/** @typedef {(name: string) => Promise<boolean>} Known whether a name with spaces belongs to one user */

/**
 * @param {HTMLTextAreaElement} field
 * @param {() => boolean} spaced spaces separate names, unless a name has them
 * @param {Known} known
 * @returns {HTMLInputElement} the field for the next name
 */
export function startTokens(field, spaced, known) {
	const [box, list, entry] = [document.createElement("div"), document.createElement("ul"), document.createElement("input")];
	box.className = "tokens";
	[entry.id, entry.autocomplete, entry.spellcheck] = [`${field.id}-entry`, "off", false];
	entry.setAttribute("autocapitalize", "none");
	entry.setAttribute("aria-label", field.labels[0]?.textContent ?? "");
	entry.setAttribute("aria-describedby", `${field.id}-hint`);
	list.append(entryItem(entry));
	box.append(list);
	field.after(box); // the field stays first: its name refers to it
	field.tabIndex = -1;
	field.classList.add("sr-only");
	field.setAttribute("aria-hidden", "true");

	/** @type {string[]} */ let names = [];
	const joined = () => [...names, entry.value.trim()].filter(Boolean).join(", ");
	/** Writes the names into the field, and notifies the form. */
	const write = () => {
		if (field.value === joined()) return;
		field.value = joined();
		field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertReplacementText" }));
	};
	const draw = () => {
		for (const old of list.querySelectorAll(".token")) old.remove();
		entry.parentElement?.before(...names.map((name, at) => token(name, () => {
			names.splice(at, 1);
			draw();
			write();
			const rest = list.querySelectorAll("button");
			(rest[Math.min(at, rest.length - 1)] ?? entry).focus();
		})));
	};
	/** Reads the field, which something else has changed. */
	const read = () => {
		if (field.value === joined()) return;
		names = split(field.value);
		entry.value = "";
		draw();
	};
	/** Makes tokens of what was typed. @param {string} typed */
	const take = async (typed) => {
		const added = split(typed).filter((name) => !names.includes(name));
		names.push(...added);
		entry.value = "";
		draw();
		write();
		for (const name of added.filter((name) => spaced() && /\s/.test(name))) {
			if (await known(name)) continue;
			names = names.flatMap((other) => (other === name ? name.split(/\s+/) : [other]));
			draw();
			write();
		}
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
		} else if (e.key === "Backspace" && entry.value === "" && names.length > 0) {
			e.preventDefault();
			entry.value = names.pop() ?? "";
			draw();
			write();
		}
	});
	entry.addEventListener("blur", () => take(entry.value));
	box.addEventListener("click", ({ target }) => target instanceof Element && !target.closest(".token") && entry.focus());
	field.addEventListener("focus", () => {
		read();
		entry.focus();
	});
	field.addEventListener("input", read);
	field.form?.addEventListener("change", read);
	read();
	return entry;
}

/** @param {string} text */
function split(text) {
	return [...new Set(text.split(between).map((name) => name.trim()).filter(Boolean))];
}

/** @param {HTMLInputElement} entry */
function entryItem(entry) {
	const item = document.createElement("li");
	item.className = "entry";
	item.append(entry);
	return item;
}

/** @param {string} name @param {() => void} remove */
function token(name, remove) {
	const [item, label, button] = [document.createElement("li"), document.createElement("span"), document.createElement("button")];
	item.className = "token";
	[label.dir, label.textContent] = ["auto", name];
	[button.type, button.textContent] = ["button", "×"];
	button.setAttribute("aria-label", text("remove_token", { Name: name }));
	button.addEventListener("click", remove);
	item.append(label, button);
	return item;
}

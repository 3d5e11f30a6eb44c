// @ts-check
// Who gets a notice, as the fields of its form have it: names in a text, ticked boxes of groups or audiences, or the
// category whose followers get it. One field shows them all (see tokens.js); these stay the fields that are sent, kept
// and restored.
import { Target, put, textOf } from "./target.js";

/** @typedef {import("./option.js").Shown & {kind: import("./target.js").Kind, scope?: string, sign?: Element}} Recipient all of a notice are of one kind; a topic is alone */

export const between = /[,;，；、\t\r\n]+/;

export class Recipients {
	#form;
	#to;
	#target;
	/** @type {Map<string, Recipient>} the chosen suggestions, which say more than the form */ #chosen = new Map();
	#wrote = { value: "", all: /** @type {Recipient[]} */ ([]) };

	/** @param {HTMLFormElement} form @param {HTMLTextAreaElement} to */
	constructor(form, to) {
		this.#form = form;
		this.#to = to;
		this.#target = new Target(form);
	}

	get kind() {
		return this.#target.kind;
	}

	/** The recipients in the form. @param {string} typed a name that is not whole yet @returns {Recipient[]} */
	read(typed) {
		const { kind } = this;
		if (kind === "topic") {
			const [name, scope] = [textOf(this.#form, "type"), textOf(this.#form, "scope")];
			return name ? [this.#known({ kind, name, scope, note: "" })] : [];
		}
		if (kind !== "user") return this.#given(kind).map((name) => this.#known({ kind, name, note: "" }));
		if (this.#to.value === this.#wrote.value) return this.#wrote.all;
		const names = split(this.#to.value);
		if (typed && names.at(-1) === typed) names.pop();
		return names.map((name) => this.#known({ kind, name, note: "" }));
	}

	/**
	 * Writes the recipients into the form, and with people the name that is being typed.
	 * @param {Recipient[]} all @param {string} typed
	 * @returns {boolean} whether the form has changed
	 */
	write(all, typed) {
		const before = this.#values();
		const audience = this.kind === "audience";
		const kind = all[0]?.kind ?? (audience ? "audience" : "user");
		const names = all.map(({ name }) => name);
		if (this.kind === "topic" && kind !== "topic") put(this.#form, "scope", "");
		this.#target.choose(kind);
		this.#to.value = kind === "user" ? [...names, typed].filter(Boolean).join(", ") : "";
		this.#wrote = { value: this.#to.value, all: kind === "user" ? all : [] };
		if (audience) this.#give("audience", names);
		else this.#give("role", kind === "role" ? names : []);
		if (kind === "topic") put(this.#form, "type", names[0] ?? "");
		if (kind === "topic") put(this.#form, "scope", all[0]?.scope ?? "");
		return this.#values() !== before;
	}

	/** @param {Recipient} chosen */
	remember(chosen) {
		this.#chosen.set(keyOf(chosen), chosen);
	}

	/** Returns what was typed as recipients of the present kind. @param {string} typed @returns {Recipient[]} */
	named(typed) {
		const kind = this.kind === "topic" ? "user" : this.kind;
		return split(typed).map((name) => this.#known({ kind, name: this.#box(kind, name)?.value ?? name, note: "" }));
	}

	/** @param {string} name @returns {Recipient | null} the group of this name, if the form lists it */
	group(name) {
		const box = this.#box("role", name);
		return box ? this.#known({ kind: "role", name: box.value, note: "" }) : null;
	}

	/** Adds what is shown of a recipient. @param {Recipient} bare @returns {Recipient} */
	#known(bare) {
		const { kind, name, scope } = bare;
		const known = this.#chosen.get(keyOf(bare));
		if (kind === "topic") {
			const category = document.getElementById("type-name")?.textContent?.trim() || name;
			const topic = scope ? filled(this.#to.dataset.scoped, { Type: category, Scope: scope }) : category;
			const sign = document.querySelector("#type-mark > *") ?? undefined;
			return { ...bare, sign, ...known, label: filled(this.#to.dataset.followers, { Topic: known?.label ?? topic }) };
		}
		if (known) return known;
		const box = this.#box(kind, name);
		return { ...bare, label: box?.nextSibling?.textContent?.trim(), note: box?.parentElement?.querySelector(".note")?.textContent ?? "", icon: icons[kind], tint: "gray" };
	}

	/** @param {import("./target.js").Kind} kind @returns {HTMLInputElement[]} the boxes; too many groups have none, and their names are in a text */
	#boxes(kind) {
		return [...this.#form.querySelectorAll(`input[name=to_${kind}][type=checkbox]`)].filter((e) => e instanceof HTMLInputElement);
	}

	/** @param {import("./target.js").Kind} kind @param {string} name the value of a box, or its text */
	#box(kind, name) {
		const same = (/** @type {string | null | undefined} */ other) => other?.trim().toLowerCase() === name.toLowerCase();
		return this.#boxes(kind).find((box) => box.value === name) ?? this.#boxes(kind).find((box) => same(box.value) || same(box.nextSibling?.textContent));
	}

	/** @param {"role" | "audience"} kind @returns {string[]} */
	#given(kind) {
		const text = this.#form.querySelector(`#to_${kind}[name]`);
		if (text instanceof HTMLInputElement) return split(text.value);
		return this.#boxes(kind).filter((box) => box.checked).map((box) => box.value);
	}

	/** A name without a box gets one: the server says what is wrong with it. @param {"role" | "audience"} kind @param {string[]} names */
	#give(kind, names) {
		if (this.#form.querySelector(`#to_${kind}[name]`)) return put(this.#form, `to_${kind}`, names.join(", "));
		for (const name of names) {
			if (this.#box(kind, name)) continue;
			const [label, box] = [document.createElement("label"), document.createElement("input")];
			[box.type, box.name, box.value] = ["checkbox", `to_${kind}`, name];
			label.append(box, name);
			this.#form.querySelector(`#to_${kind} .choices`)?.append(label);
		}
		for (const box of this.#boxes(kind)) box.checked = names.includes(box.value);
	}

	#values() {
		return JSON.stringify([...new FormData(this.#form)]);
	}
}

/** @type {Record<import("./target.js").Kind, string>} */
const icons = { user: "user", role: "users", topic: "bell", audience: "megaphone" };

/** @param {Recipient} recipient */
export const keyOf = ({ kind, name, scope = "" }) => [kind, name, scope].join("\n");

/** @param {import("./option.js").Shown & {kind?: string}} offer @returns {offer is Recipient} */
export const isRecipient = (offer) => offer.kind !== undefined;

/** @param {string} text */
const split = (text) => [...new Set(text.split(between).map((name) => name.trim()).filter(Boolean))];

/** Fills a phrase of the page. @param {string | undefined} phrase @param {Record<string, string>} values */
const filled = (phrase = "", values) => phrase.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

// @ts-check
// The kind of recipients of a notice, which the field "target" names. Staff turn between a notification and an
// announcement; the recipients of a notification say which of the other kinds it is.

/** @typedef {"user" | "role" | "topic" | "audience"} Kind the value of the field */

export class Target {
	#form;
	#switch = document.querySelector(".kinds .notification");
	/** @type {Kind} of the notification, while an announcement is written */ #before = "user";

	/** @param {HTMLFormElement} form */
	constructor(form) {
		this.#form = form;
		for (const radio of this.#radios()) if (radio.value !== "audience") radio.setAttribute("aria-label", this.#switch?.textContent ?? "");
		// In the capture phase: the draft and the preview must see the form after this change.
		form.addEventListener("change", ({ target }) => {
			if (target === form) this.#begin(); // it was filled in with a draft, or emptied
			else if (target instanceof HTMLInputElement && target.name === "target") this.#turn();
		}, { capture: true });
		this.#begin();
	}

	/** @returns {Kind} */
	get kind() {
		return /** @type {Kind} */ (this.#radios().find((radio) => radio.checked)?.value ?? "user");
	}

	/** Of a notification only the kind it has, or had before, can be turned to. @param {Kind} kind */
	choose(kind) {
		if (kind !== "audience") this.#before = kind;
		for (const radio of this.#radios()) {
			radio.checked = radio.value === kind;
			radio.disabled = ![this.#before, "audience"].includes(radio.value);
			if (radio.value === this.#before && this.#switch instanceof HTMLLabelElement) this.#switch.htmlFor = radio.id;
		}
	}

	/** Without recipients a notification goes to people. */
	#begin() {
		const { kind } = this;
		const ticked = new FormData(this.#form).getAll("to_role").some(Boolean);
		const names = textOf(this.#form, kind === "audience" ? "to_kept" : "to");
		/** @type {Kind} */ let found = ticked && !names ? "role" : "user";
		if (kind === "topic" && textOf(this.#form, "type")) found = kind;
		this.choose(found);
		if (kind === "audience") this.choose(kind);
	}

	/** Names are moved, because the server reads their field for every target; so is the time, which has a field of each kind. */
	#turn() {
		if (this.kind === "user") this.#move("to_kept", "to");
		else this.#move("to", "to_kept");
		if (this.kind === "audience") this.#move("send_at", "starts_at");
		else this.#move("starts_at", "send_at");
		this.choose(this.kind);
	}

	/** @param {string} from @param {string} into */
	#move(from, into) {
		const text = textOf(this.#form, from);
		if (!text || textOf(this.#form, into)) return;
		put(this.#form, into, text);
		put(this.#form, from, "");
	}

	#radios() {
		return [...this.#form.querySelectorAll("input[name=target]")].filter((e) => e instanceof HTMLInputElement);
	}
}

/** @param {HTMLFormElement} form @param {string} name */
export function textOf(form, name) {
	const field = form.elements.namedItem(name);
	return field && "value" in field ? String(field.value).trim() : "";
}

/** @param {HTMLFormElement} form @param {string} name @param {string} value */
export function put(form, name, value) {
	const field = form.elements.namedItem(name);
	if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.value = value;
}

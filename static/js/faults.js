// @ts-check

/**
 * Shows faults beside their fields while a form is being filled in. A fault appears
 * only after its field was left: users should not see a fault in a word they are
 * still typing. It disappears as soon as it is corrected.
 */
export class Faults {
	/** @type {Map<string, HTMLElement>} */ #known = new Map();
	/** @type {Set<string>} */ #left = new Set();
	#form;

	/** @param {HTMLFormElement} form */
	constructor(form) {
		this.#form = form;
		form.addEventListener("focusout", ({ target, relatedTarget }) => {
			// Moving between the choices of one field does not leave it.
			if (nameOf(target) !== nameOf(relatedTarget)) this.#left.add(nameOf(target));
		});
		form.addEventListener("focusin", ({ target }) => {
			const name = nameOf(target);
			if (!this.#shown(name)) this.#left.delete(name);
		});
	}

	/**
	 * Reads the faults from the server's response, by field.
	 * @param {ParentNode} answer
	 */
	take(answer) {
		const found = [...answer.querySelectorAll(".fault")].filter((p) => p instanceof HTMLElement);
		this.#known = new Map(found.map((p) => [p.dataset.field ?? "", p]));
	}

	/**
	 * Shows the faults that are due, and removes those that were corrected.
	 * @returns {string[]} the faults that were not shown before
	 */
	show() {
		const news = [];
		for (const field of this.#form.querySelectorAll(".field")) {
			const control = field.matches("[id]") ? field : field.querySelector("[id][name]");
			if (!control) continue;
			const shown = this.#shown(control.id);
			const fault = this.#known.get(control.id);
			if (fault && shown) {
				if (shown.textContent !== fault.textContent) shown.textContent = fault.textContent;
			} else if (fault && this.#left.has(control.id)) {
				field.append(fault.cloneNode(true));
				const around = field.closest("details");
				if (around) around.open = true;
				mark(control, true);
				news.push(fault.textContent ?? "");
			} else if (!fault && shown) {
				shown.remove();
				mark(control, false);
				if (control.contains(document.activeElement)) this.#left.delete(control.id); // it is still being edited
			}
		}
		return news;
	}

	/** @param {string} name */
	#shown(name) {
		return name ? this.#form.querySelector(`#${name}-fault`) : null;
	}
}

/** Also of a field that is shown in the place of another (see tokens.js). @param {EventTarget | null} target */
function nameOf(target) {
	return target instanceof Element ? (target.getAttribute("name") ?? target.id.match(/^(.*)-entry$/)?.[1] ?? "") : "";
}

/**
 * Marks a control, and the field that is shown in its place (see tokens.js).
 * @param {Element} control
 * @param {boolean} bad
 */
function mark(control, bad) {
	const own = `${control.id}-fault`;
	for (const one of [control, document.getElementById(`${control.id}-entry`)]) if (one) describe(one, own, bad);
}

/**
 * @param {Element} control
 * @param {string} own the id of the fault
 * @param {boolean} bad
 */
function describe(control, own, bad) {
	const others = (control.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== own);
	if (bad) {
		control.setAttribute("aria-invalid", "true");
		others.push(own);
	} else control.removeAttribute("aria-invalid");
	if (others.length > 0) control.setAttribute("aria-describedby", others.join(" "));
	else control.removeAttribute("aria-describedby");
}

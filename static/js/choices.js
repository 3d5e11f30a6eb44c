// @ts-check
// The values of the controls of a form, to compare and to restore.

/** @typedef {Map<HTMLInputElement | HTMLSelectElement, string | boolean>} Values a box has whether it is ticked */

/**
 * @param {HTMLFormElement} form
 * @param {boolean} [first] the values with which the page came
 * @returns {Values}
 */
export function valuesOf(form, first = false) {
	const values = /** @type {Values} */ (new Map());
	for (const control of form.elements) {
		if (control instanceof HTMLSelectElement) values.set(control, first ? firstOf(control) : control.value);
		else if (!(control instanceof HTMLInputElement)) continue;
		else if (isBox(control)) values.set(control, first ? control.defaultChecked : control.checked);
		else values.set(control, first ? control.defaultValue : control.value);
	}
	return values;
}

/** Undoes what was sent, but not what was changed since. @param {Values} kept @param {Values} sent */
export function restore(kept, sent) {
	for (const [control, value] of kept) {
		const box = control instanceof HTMLInputElement && isBox(control);
		if ((box ? control.checked : control.value) !== sent.get(control)) continue;
		if (box) control.checked = value === true;
		else control.value = String(value);
	}
}

/** @param {HTMLSelectElement} select */
function firstOf({ options }) {
	return ([...options].find((o) => o.defaultSelected) ?? options[0])?.value ?? "";
}

/** @param {HTMLInputElement} input */
const isBox = (input) => input.type === "checkbox" || input.type === "radio";

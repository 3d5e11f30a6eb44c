// @ts-check
import { htmx } from "./htmx.js";

const most = 50; // the server does not keep more for long

/** The changes that can be undone, the last one at the end. Each form is a copy: the shown one is removed with its line. @type {{id: string, form: HTMLFormElement}[]} */
let stack = [];
let made = 0;

/** Keeps a copy of the form that undoes a change. @param {HTMLFormElement} form */
export function keep(form) {
	form.dataset.undo = String(++made);
	const copy = /** @type {HTMLFormElement} */ (form.cloneNode(true));
	stack = [...stack.slice(1 - most), { id: form.dataset.undo, form: copy }];
}

/** Returns how many changes can be undone. */
export function undoable() {
	return stack.length;
}

/** Returns the form that undoes the last change, or null. */
export function lastUndo() {
	const form = stack.at(-1)?.form.cloneNode(true);
	return form instanceof HTMLFormElement ? form : null;
}

/** Lets htmx send a form that is now in the page. @param {HTMLFormElement} form */
export function ready(form) {
	htmx()?.process(form);
}

/** Drops a change that was undone, or can no longer be. @param {Element | undefined} form */
export function drop(form) {
	if (form instanceof HTMLFormElement) stack = stack.filter(({ id }) => id !== form.dataset.undo);
}

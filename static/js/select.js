// @ts-check
import { say } from "./announcer.js";
import { text } from "./texts.js";

const most = 200; // the limit of one request

/** The box that was pressed last, where a range begins. @type {HTMLInputElement | undefined} */
let last;

/** Lets readers select rows, and a range of rows with shift, and clear the selection with Escape. */
export function startSelect() {
	document.addEventListener("click", ({ target, shiftKey }) => {
		if (!(target instanceof HTMLInputElement) || !target.matches(".pick")) return;
		const all = boxes();
		if (shiftKey && last?.isConnected) {
			const [a, b] = [all.indexOf(last), all.indexOf(target)];
			for (const box of all.slice(Math.min(a, b), Math.max(a, b) + 1)) box.checked = target.checked;
		}
		for (const box of all.filter((each) => each.checked).slice(most)) box.checked = false;
		last = target;
		count();
	});
	document.addEventListener("reset", ({ target }) => {
		if (!(target instanceof HTMLElement) || target.id !== "bulk") return;
		if (target.contains(document.activeElement)) last?.closest("li")?.focus();
		selecting(false);
		setTimeout(count); // the boxes are still checked
	});
	document.addEventListener("click", ({ target }) => {
		if (target instanceof Element && target.closest("#select-rows")) selecting(true);
	});
	const offer = () => document.getElementById("select-rows")?.removeAttribute("hidden");
	offer();
	document.addEventListener("htmx:load", offer);
	document.addEventListener("keydown", (e) => {
		const above = document.querySelector("dialog[open], details.menu[open], #panel:not([hidden])");
		if (e.key === "Escape" && !above && (selected().length > 0 || inSelection())) bulk()?.reset();
	});
}

/** Shows a box in the place of each circle. On touch screens a press on a row then selects it. @param {boolean} on */
export function selecting(on) {
	document.getElementById("inbox")?.toggleAttribute("data-selecting", on);
}

/** Reports whether all boxes are shown. */
export function inSelection() {
	return document.querySelector("#inbox[data-selecting]") !== null;
}

/** Returns the rows that are selected. */
export function selected() {
	return boxes().filter((box) => box.checked).map((box) => box.closest("li"));
}

/** Selects a row, or clears its selection. @param {Element | undefined} row */
export function select(row) {
	const box = row?.querySelector(".pick");
	if (box instanceof HTMLElement) box.click();
}

/**
 * Applies an action to the selected rows, and reports whether there are any.
 * @param {string} address the end of the form's address
 */
export function change(address) {
	if (selected().length === 0) return false;
	const button = bulk()?.querySelector(`[formaction$="${address}"]`);
	if (button instanceof HTMLElement) button.click();
	return true;
}

/** @returns {HTMLInputElement[]} */
function boxes() {
	return [...document.querySelectorAll("main .pick")].filter((e) => e instanceof HTMLInputElement);
}

function bulk() {
	const form = document.getElementById("bulk");
	return form instanceof HTMLFormElement ? form : null;
}

function count() {
	const phrase = text("selected", { Count: selected().length });
	const shown = bulk()?.querySelector("p");
	if (shown) shown.textContent = phrase;
	say(phrase);
}

// @ts-check
import { say } from "./announcer.js";
import { askServer } from "./offered.js";
import { clock } from "./clock.js";
import { completed, nameAt, offers } from "./names.js";
import { optionsOf } from "./option.js";
import { text } from "./texts.js";

/** @typedef {import("./option.js").Shown & {kind?: string, fresh?: boolean}} Offer kind: of a recipient; fresh: a new one */
/** @typedef {(part: string, target: string, signal: AbortSignal) => Promise<Offer[]>} Ask */

const pause = 150; // ms without typing before a request

/**
 * Completes the names in a text field from a list under it. A one-line field becomes
 * an ARIA combobox. ARIA does not allow that role for a text box of several lines,
 * which gets only the attributes it may have.
 * @param {HTMLTextAreaElement | HTMLInputElement} field
 * @param {HTMLElement} list
 * @param {() => string} target the kind of name: "user" (several allowed), "person", "role", "type", or "to" for all kinds of recipients
 * @param {Ask} [ask]
 * @param {import("./clock.js").Clock} [time]
 * @param {(chosen: Offer) => void} [elsewhere] takes a chosen recipient, or helps to name a new one
 */
export function startCompletion(field, list, target, ask = askServer, time = clock, elsewhere = () => {}) {
	/** @type {Offer[]} */ let shown = [];
	let chosen = 0;
	let chose = false; // the key being pressed has chosen a name
	let callOff = () => {};
	let request = new AbortController();
	field.setAttribute("aria-autocomplete", "list");
	field.setAttribute("aria-haspopup", "listbox");
	field.setAttribute("aria-controls", list.id);
	const single = field instanceof HTMLInputElement;
	for (const [name, value] of Object.entries(single ? { role: "combobox", "aria-expanded": "false" } : {})) field.setAttribute(name, value);

	const several = () => target() === "user";
	const ones = () => [...list.querySelectorAll("[role=option]")];
	// A type may be a new one, and who just looks at recipients chooses none: no suggestion is preselected.
	const browses = () => target() === "type" || (target() === "to" && typed().part === "");
	const typed = () => nameAt(field.value, field.selectionEnd ?? field.value.length, several());
	const stop = () => {
		callOff();
		request.abort();
	};
	const close = () => {
		stop();
		show([]);
	};
	/** @param {Offer[]} found */
	const show = (found) => {
		shown = found;
		list.replaceChildren(...optionsOf(shown, list.id));
		list.hidden = shown.length === 0;
		list.scrollIntoView({ block: "nearest" });
		if (single) field.setAttribute("aria-expanded", String(!list.hidden));
		chosen = -1;
		if (!list.hidden && !browses()) select(Math.max(0, shown.findIndex(({ name }) => name === typed().part)));
		else field.removeAttribute("aria-activedescendant");
	};
	/** @param {number} i */
	const select = (i) => {
		chosen = i < 0 ? shown.length - 1 : i % shown.length;
		for (const [at, one] of ones().entries()) one.setAttribute("aria-selected", String(at === chosen));
		const one = ones()[chosen];
		one?.scrollIntoView({ block: "nearest" });
		field.setAttribute("aria-activedescendant", one?.id ?? "");
	};
	const choose = () => {
		const offer = shown[chosen];
		const at = typed();
		close();
		if (!offer) return;
		field.setRangeText(offer.kind ? "" : completed(field.value, at, offer.name, several()), at.begin, at.end, "end");
		field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertReplacementText" }));
		if (offer.kind || offer.fresh) elsewhere(offer);
	};
	/** @param {boolean} [all] whatever is typed */
	const look = async (all = false) => {
		stop();
		const { signal } = (request = new AbortController());
		try {
			const names = await ask(all ? "" : typed().part, target(), signal);
			if (signal.aborted) return;
			show(offers(names, typed(), several()));
			const at = shown.findIndex(({ name }) => name !== "" && name === field.value.trim());
			if (all && at >= 0) select(at);
		} catch {
			return; // the user can type without suggestions
		}
		if (shown.length > 0) say(() => (shown.length > 0 ? text("offered", { Count: shown.length }) : ""));
	};

	/** @param {Event} e */
	const changed = (e) => {
		if (e instanceof InputEvent && (e.isComposing || e.inputType === "insertReplacementText")) return;
		stop();
		const { part } = typed();
		if (part === "") return close();
		// Suggestions that matched before may no longer match.
		const fit = shown.filter(({ name, label = "" }) => `${name}\n${label}`.toLowerCase().includes(part.toLowerCase()));
		if (fit.length < shown.length) show(fit);
		callOff = time.after(pause, look);
	};
	/** @type {HTMLElement} */ const element = field;
	element.addEventListener("input", changed);
	element.addEventListener("compositionend", changed);
	element.addEventListener("blur", close);
	element.addEventListener("click", () => {
		if (list.hidden && browses()) look(true);
		else close();
	});
	element.addEventListener("keydown", (e) => {
		chose = false;
		if (e.isComposing) return;
		if (list.hidden) {
			if (e.key === "ArrowDown" && (e.altKey || !["user", "person"].includes(target()))) look(target() === "type");
			else if (e.key === "Escape") stop();
			return;
		}
		if (e.key === "ArrowDown") select(chosen + 1);
		else if (e.key === "ArrowUp") select(chosen - 1);
		else if (e.key === "Escape") close();
		else if (chosen < 0) {
			if (e.key === "Enter" && target() === "to") e.preventDefault(); // it would send the form
			return e.key === "Enter" || e.key === "Tab" ? close() : undefined;
		}
		// After a name typed in full, Tab moves on as usual.
		else if (e.key === "Enter" || (e.key === "Tab" && !e.shiftKey && shown[chosen]?.name !== typed().part)) choose();
		else {
			if (/^(Arrow|Home|End|Page|Tab)/.test(e.key)) close();
			return;
		}
		chose = true;
		e.preventDefault();
		e.stopPropagation();
	});
	// Some keyboards send the line break of Enter separately from the key.
	element.addEventListener("beforeinput", (e) => {
		if (chose && e.inputType === "insertLineBreak") e.preventDefault();
	});
	element.addEventListener("keyup", () => (chose = false));
	list.addEventListener("mousedown", (e) => e.preventDefault()); // the field keeps the focus
	list.addEventListener("click", (e) => {
		const one = e.target instanceof Element ? e.target.closest("[role=option]") : null;
		if (!one) return;
		chosen = ones().indexOf(one);
		choose();
	});
}

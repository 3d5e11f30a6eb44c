// @ts-check
import { icon, make } from "./dom.js";
import { place } from "./place.js";

/** @typedef {import("./acts.js").Deed} Deed */

/**
 * Opens a menu at a button of a row.
 * @param {import("./feed.js").Feed} feed @param {HTMLElement} clicked @param {Deed[]} deeds
 */
export function menu(feed, clicked, deeds) {
	sheet(feed, clicked, "menu", (close) => deeds.map((deed) =>
		make("button", { class: "item", part: "action", role: "menuitem", tabindex: "-1", click: () => deed.click(close()) }, deed.icon && icon(deed.icon), make("span", { dir: "auto" }, deed.text), deed.note && make("small", {}, deed.note))));
}

/**
 * Opens something below a button of a row, or above it where there is no room. Escape closes it, and the focus returns to the row.
 * @param {import("./feed.js").Feed} feed @param {HTMLElement} clicked @param {"menu" | "dialog"} role
 * @param {(close: () => HTMLElement) => HTMLElement[]} fill returns its items; close returns the button, at which something else may open
 */
export function sheet(feed, clicked, role, fill) {
	const root = /** @type {ShadowRoot} */ (feed.list.getRootNode());
	const { key = "" } = /** @type {HTMLElement} */ (clicked.closest("li")).dataset;
	// A row that was drawn again has another button, and one that is gone has none.
	const current = () => {
		const li = [...feed.list.children].find((li) => /** @type {HTMLElement} */ (li).dataset.key === key);
		return /** @type {HTMLElement | undefined} */ ([...(li?.querySelectorAll(".do") ?? [])].find((b) => /** @type {HTMLElement} */ (b).title === clicked.title));
	};
	const button = current();
	if (!button) return;
	let held = false; // the focus
	const items = fill(() => {
		box.hidePopover();
		return current() ?? button;
	});
	const closing = (/** @type {ToggleEvent} */ e) => {
		if (e.newState === "closed") held = box.contains(root.activeElement);
	};
	const toggled = (/** @type {ToggleEvent} */ e) => {
		button.setAttribute("aria-expanded", String(e.newState === "open"));
		if (e.newState === "open") return;
		box.remove();
		if (held && !root.querySelector(".menu")) current()?.focus(); // a menu that replaces this one has the focus
	};
	const step = (/** @type {KeyboardEvent} */ e) => {
		const at = items.indexOf(/** @type {HTMLElement} */ (root.activeElement));
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[e.key];
		if (e.key === "Tab" && role === "menu") box.hidePopover();
		if (to === undefined || role !== "menu") return;
		e.preventDefault();
		items.at(to % items.length)?.focus();
	};
	const box = make("div", { class: "menu", part: "menu", popover: "auto", role, "aria-label": button.getAttribute("aria-label"), beforetoggle: closing, toggle: toggled, keydown: step }, ...items);
	feed.list.parentNode?.append(box);
	box.showPopover();
	place(box, button);
	items[0]?.focus();
}

// @ts-check
import { avatar } from "./avatar.js";
import { bodyOf, link, make, titleOf } from "./dom.js";
import { lookOf } from "./looks.js";

/** @typedef {import("./toasts.js").Toast} Toast */

const life = 8_000; // ms; longer while the pointer or the focus is on it

/**
 * Shows a toast in a region of the top layer.
 * @param {import("./toasts.js").CarillonToasts} el
 * @param {HTMLElement} region
 * @param {Toast} toast
 * @param {(e: Event, to: string) => void} follow is called when the user follows its link or a button
 */
export function show(el, region, toast, follow) {
	const drop = () => {
		box.remove();
		if (region.childElementCount === 0 && region.matches(":popover-open")) region.hidePopover();
	};
	/** @param {string} to */
	const leads = (to) => (/** @type {Event} */ e) => (follow(e, to), drop());
	const { type, actions = [], key } = toast;
	const box = make(
		"div", { class: "toast", part: "toast" },
		type && avatar({ ...toast, type }, el.client ? lookOf(el.client, type) : undefined), titleOf(toast, leads(toast.link)), bodyOf(toast),
		key && actions.length > 0 && make("span", { class: "buttons" }, ...actions.map((of) => link(of.label, of.link, { class: `button ${of.style}`, part: "button" }, leads(of.link)))),
		make("button", { class: "close", part: "action", "aria-label": el.text("close_named", { Title: toast.title }), click: drop }, "✕"),
	);
	region.setAttribute("aria-label", el.text("toasts"));
	region.append(box);
	const most = Number(el.getAttribute("max") ?? 3);
	while (region.childElementCount > most) region.firstElementChild?.remove();
	if (!region.matches(":popover-open")) region.showPopover();
	const end = () => (box.matches(":hover, :focus-within") ? setTimeout(end, 1_000) : drop());
	setTimeout(end, life);
}

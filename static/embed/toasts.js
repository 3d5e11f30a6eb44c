// @ts-check
import { bodyOf, make, route, titleOf } from "./dom.js";
import { CarillonElement } from "./element.js";
import { speak, voice } from "./voice.js";

/** @typedef {import("./core.js").Client} Client */
/** @typedef {{id: string, title: string, body: string, link: string, notice?: number, key?: string, more?: number}} Toast */

const life = 8_000; // ms; longer while the pointer or the focus is on it

/** The place where toasts appear: each in one tab of one browser, in the top layer. */
export class CarillonToasts extends CarillonElement {
	static observedAttributes = [...super.observedAttributes, "position"];

	/** @type {HTMLElement | null} */ #region = null;

	/** @param {ShadowRoot} root @param {Client} client */
	start(root, client) {
		this.#region = make("div", { class: "toasts", part: "toasts", popover: "manual", role: "region", "aria-label": this.text("toasts"), "data-position": this.getAttribute("position") ?? "bottom-end" });
		root.replaceChildren(this.#region, voice(this));
		client.takeToasts();
		this.atEnd(client.on("toast", (e) => this.#take(e.detail)));
		return () => {};
	}

	moved() {
		if (this.#region?.childElementCount) this.#region.showPopover();
	}

	/** @param {{toast: Toast, shown: () => void}} detail */
	#take({ toast, shown }) {
		// A page that prevents the event draws the toast itself, and calls shown.
		if (!this.emit("toast", { ...toast, shown })) return;
		this.#show(toast);
		shown();
	}

	/** @param {Toast} toast */
	#show(toast) {
		const region = this.#region;
		if (!region) return;
		const box = make(
			"div", { class: "toast", part: "toast" },
			titleOf(toast, (e) => this.#follow(e, toast, box)), bodyOf(toast),
			make("button", { class: "close", part: "action", "aria-label": this.text("close_named", { Title: toast.title }), click: () => this.#drop(box) }, "✕"),
		);
		region.append(box);
		const most = Number(this.getAttribute("max") ?? 3);
		while (region.childElementCount > most) region.firstElementChild?.remove();
		if (!region.matches(":popover-open")) region.showPopover();
		speak(toast.body ? `${toast.title}\n${toast.body}` : toast.title, true);
		const end = () => (box.matches(":hover, :focus-within") ? setTimeout(end, 1_000) : this.#drop(box));
		setTimeout(end, life);
	}

	/** @param {Event} e @param {Toast} toast @param {HTMLElement} box */
	#follow(e, toast, box) {
		if (toast.key) this.client?.read({ keys: [toast.key] }).catch(() => {});
		if (!this.emit("navigate", { href: route(toast.link), notice: toast })) e.preventDefault();
		this.#drop(box);
	}

	/** @param {HTMLElement} box */
	#drop(box) {
		box.remove();
		if (this.#region?.childElementCount === 0 && this.#region.matches(":popover-open")) this.#region.hidePopover();
	}
}

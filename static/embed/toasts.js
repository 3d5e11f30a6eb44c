// @ts-check
import { make, route } from "./dom.js";
import { CarillonElement } from "./element.js";
import { later, lazy } from "./lazy.js";

/** @typedef {import("./core.js").Client} Client */
/**
 * @typedef {{id: string, title: string, body: string, link: string, notice?: number, key?: string, more?: number, type?: string,
 *   actors?: {id?: string, name: string, image?: string}[], actions?: {label: string, link: string, style: string}[]}} Toast
 */

/** The place where toasts appear: each in one tab of one browser, in the top layer. */
export class CarillonToasts extends CarillonElement {
	static observedAttributes = [...super.observedAttributes, "position"];

	/** @type {HTMLElement | null} */ #region = null;

	/** @param {ShadowRoot} root @param {Client} client */
	start(root, client) {
		this.#region = make("div", { class: "toasts", part: "toasts", popover: "manual", role: "region", "data-position": this.getAttribute("position") ?? "bottom-end" });
		root.replaceChildren(this.#region);
		client.takeToasts();
		void lazy(); // before the first toast, which then needs no request
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
		const region = this.#region;
		later(({ show, speak }) => {
			if (!region?.isConnected) return; // the server sends it again
			show(this, region, toast, (e, to) => {
				if (toast.key) this.client?.read({ keys: [toast.key] }).catch(() => {});
				if (!this.emit("navigate", { href: route(to), notice: toast })) e.preventDefault();
			});
			speak(this, toast.body ? `${toast.title}\n${toast.body}` : toast.title, true);
			shown();
		});
	}
}

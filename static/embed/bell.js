// @ts-check
import { icon, make } from "./dom.js";
import { CarillonElement } from "./element.js";
import { bell, Feed } from "./feed.js";
import { entitle } from "./title.js";
import { speak, voice } from "./voice.js";

/** A bell with the number of unread items, and a panel with the newest notices. */
export class CarillonBell extends CarillonElement {
	static observedAttributes = [...super.observedAttributes, "max", "title-badge", "inbox-href", "placement", "open"];

	/** @type {HTMLElement | null} */ #panel = null;

	/** @override @param {ShadowRoot} root @param {import("./core.js").Client} client */
	start(root, client) {
		const name = this.text("title");
		const feed = new Feed(this, client, false, () => this.hide());
		/** @type {number | null | undefined} */ let shown; // undefined: nothing is drawn yet
		const all = this.button("read_all", () => feed.readAll());
		const badge = make("span", { class: "badge", part: "badge", "aria-hidden": "true", hidden: true });
		const button = make(
			"button", { class: "bell", part: "bell", "aria-haspopup": "dialog", "aria-expanded": "false", click: () => panel.togglePopover() },
			make("slot", { name: "icon" }, icon(bell)), badge,
		);
		const href = this.getAttribute("inbox-href");
		const panel = (this.#panel = make(
			"div", { class: "panel", part: "panel", popover: "auto", role: "dialog", "aria-label": name, toggle: (e) => toggled(e.newState === "open") },
			make("div", { class: "head", part: "header" }, make("h2", { part: "heading" }, make("slot", { name: "header" }, name)), all),
			...feed.nodes,
			make("div", { class: "foot", part: "footer" }, make("slot", { name: "footer" }, href && make("a", { href }, this.text("inbox")))),
		));
		// Below the bell, or above it where there is more room.
		const place = () => {
			if (!panel.matches(":popover-open")) return;
			const at = button.getBoundingClientRect();
			const { offsetWidth: width, offsetHeight: height } = panel;
			const [side, end] = (this.getAttribute("placement") ?? "bottom-end").split("-");
			const x = (end === "end") === (getComputedStyle(this).direction === "ltr") ? at.right - width : at.left;
			const room = innerHeight - at.bottom;
			const most = Math.min(height, 320);
			const below = side === "top" ? at.top < most && room > at.top : room > most || at.top < innerHeight / 2;
			panel.style.setProperty("--x", `${Math.min(Math.max(8, x), innerWidth - width - 8)}px`);
			panel.style.setProperty("--y", `${below ? at.bottom + 4 : Math.max(8, at.top - height - 4)}px`);
		};
		const toggled = async (/** @type {boolean} */ open) => {
			button.setAttribute("aria-expanded", String(open));
			this.toggleAttribute("open", open);
			this.emit(open ? "open" : "close");
			if (!open) return;
			place();
			if (client.getSnapshot().user === null) return; // the panel shows the reason
			const calls = [this.getAttribute("read-on") === "click" ? client.load() : client.open(), client.loadAnnouncements()];
			this.failed = !(await feed.try(Promise.all(calls)));
			draw(client.getSnapshot());
		};
		const draw = (/** @type {import("./core.js").Snapshot} */ now) => {
			const { unread } = now.badge;
			this.toggleAttribute("data-signed-out", now.state === "signed-out");
			if (unread !== shown) {
				const max = Number(this.getAttribute("max") ?? 99);
				const short = unread && unread > max ? `${max}+` : String(unread ?? "");
				const label = unread === null ? name : this.text(unread ? "bell" : "bell_none", { Count: unread });
				badge.textContent = short;
				badge.hidden = all.hidden = !unread;
				button.setAttribute("aria-label", label);
				if (this.flag("title-badge")) entitle(this, unread ? short : "");
				if (unread && typeof shown === "number" && unread > shown) speak(label);
				shown = unread;
				if (unread !== null) this.emit("badge", now.badge);
			}
			const fault = feed.show(now, (now.announcements ?? []).filter((a) => !a.read));
			// Without a number, the name omits it, and the description gives the reason.
			if (unread === null && fault) button.setAttribute("aria-description", fault);
			else button.removeAttribute("aria-description");
		};
		root.replaceChildren(button, panel, voice(this));
		addEventListener("resize", place);
		this.atEnd(() => {
			removeEventListener("resize", place);
			entitle(this, null);
		});
		if (this.flag("open")) queueMicrotask(() => this.show());
		return draw;
	}

	/** @override */
	moved() {
		if (this.flag("open")) this.show();
	}

	/** @override */
	left() {
		this.removeAttribute("open");
	}

	/** @override @param {string} name */
	changed(name) {
		if (name === "open") this.flag("open") ? this.show() : this.hide();
		else super.changed(name);
	}

	/** Opens the panel. */
	show() {
		if (this.#panel?.isConnected && !this.#panel.matches(":popover-open")) this.#panel.showPopover();
	}

	/** Closes the panel. */
	hide() {
		this.#panel?.hidePopover();
	}
}

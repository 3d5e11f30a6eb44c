// @ts-check
import { icon, make } from "./dom.js";
import { CarillonElement, sections } from "./element.js";
import { bell, Feed } from "./feed.js";
import { later, lazy, loaded } from "./lazy.js";
import { Known } from "./snapshot.js";

/** A bell with the number of unread items, and a panel with the newest notices. */
export class CarillonBell extends CarillonElement {
	static observedAttributes = [...super.observedAttributes, ...sections, "max", "title-badge", "favicon-badge", "preferences", "inbox-href", "placement", "open", "actions"];

	/** @type {HTMLElement | null} */ #panel = null;

	/** @override @param {ShadowRoot} root @param {import("./core.js").Client} client */
	start(root, client) {
		const name = this.text("title");
		const feed = new Feed(this, client, this.getAttribute("actions") ?? "hover", () => this.hide());
		/** @type {number | null | undefined} */ let shown; // undefined: nothing is drawn yet
		const all = this.button("read_all", () => feed.readAll());
		const badge = make("span", { class: "badge", part: "badge", "aria-hidden": "true", hidden: true });
		const button = make(
			"button", { class: "bell", part: "bell", "aria-haspopup": "dialog", "aria-expanded": "false", click: () => panel.togglePopover(), pointerenter: lazy, focus: lazy },
			make("slot", { name: "icon" }, icon(bell)), badge,
		);
		const href = this.getAttribute("inbox-href");
		const foot = make("div", { class: "foot", part: "footer" }, make("slot", { name: "footer" }, href && make("a", { href }, this.text("inbox"))));
		const panel = (this.#panel = make(
			"div", { class: "panel", part: "panel", popover: "auto", role: "dialog", "aria-label": name, toggle: (e) => toggled(e.newState === "open") },
			make("div", { class: "head", part: "header" }, make("h2", { part: "heading" }, make("slot", { name: "header" }, name)), all),
			...feed.nodes,
			foot,
		));
		if (this.flag("preferences")) later(({ preferences }) => foot.append(preferences(this, client)));
		const place = () => loaded((more) => panel.matches(":popover-open") && more.place(panel, button, this.getAttribute("placement") ?? undefined));
		const toggled = async (/** @type {boolean} */ open) => {
			button.setAttribute("aria-expanded", String(open));
			this.toggleAttribute("open", open);
			this.emit(open ? "open" : "close");
			if (!open) return;
			later(() => (place(), draw(client.getSnapshot())));
			if (client.getSnapshot().user === null) return; // the panel shows the reason
			const calls = [this.getAttribute("read-on") === "click" ? client.load({ filter: "all" }) : client.open(), client.loadAnnouncements()];
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
				if (this.flag("title-badge")) later(({ entitle }) => button.isConnected && entitle(this, unread ? short : ""));
				if (this.flag("favicon-badge")) later(({ dot }) => button.isConnected && dot(this, unread));
				if (unread && typeof shown === "number" && unread > shown) later(({ speak }) => speak(this, label));
				shown = unread;
				if (unread !== null) this.emit("badge", now.badge);
			}
			loaded(({ split }) => split(this, feed, panel, unread, Known, () => draw(client.getSnapshot())));
			const fault = feed.show({ ...now, notices: feed.client.getSnapshot().notices }, (now.announcements ?? []).filter((a) => !a.read));
			// Without a number, the name omits it, and the description gives the reason.
			if (unread === null && fault) button.setAttribute("aria-description", fault);
			else button.removeAttribute("aria-description");
		};
		root.replaceChildren(button, panel);
		addEventListener("resize", place);
		this.atEnd(() => {
			removeEventListener("resize", place);
			loaded(({ dot, entitle }) => (dot(this, null), entitle(this, null)));
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

// @ts-check
import { icon, make } from "./dom.js";
import { CarillonElement } from "./element.js";
import { announcement, Listing, row } from "./listing.js";
import { entitle } from "./title.js";
import { speak, voice } from "./voice.js";

/** @typedef {import("./core.js").Snapshot} Snapshot */

const bell = "M6 8a6 6 0 0 1 12 0c0 7 3 9 3 9H3s3-2 3-9M10.3 21a2 2 0 0 0 3.4 0";

/** A bell with the number of unread items, and a panel with the newest notices. */
export class CarillonBell extends CarillonElement {
	static observedAttributes = [...super.observedAttributes, "max", "title-badge", "inbox-href", "placement", "open"];

	/** @type {HTMLElement | null} */ #button = null;
	/** @type {HTMLElement | null} */ #panel = null;
	/** @type {Listing | null} */ #listing = null;
	/** @type {HTMLElement | null} */ #all = null;
	/** @type {number | null | undefined} */ #unread; // undefined: nothing is drawn yet
	/** @type {Snapshot["notices"] | undefined} */ #notices;
	/** @type {Snapshot["announcements"] | undefined} */ #announcements;

	/** @param {ShadowRoot} root @param {import("./core.js").Client} client */
	start(root, client) {
		this.#notices = this.#announcements = undefined;
		this.#unread = undefined;
		const name = this.text("title");
		const list = make("ul", { part: "list", "aria-label": name });
		this.#listing = new Listing(list);
		this.#all = make("button", { type: "button", class: "action", part: "action", click: () => this.#readAll() }, this.text("read_all"));
		this.#panel = make(
			"div", { class: "panel", part: "panel", popover: "auto", role: "dialog", "aria-label": name, toggle: (e) => this.#toggled(e.newState === "open") },
			make("div", { class: "head", part: "header" }, make("h2", { part: "heading" }, make("slot", { name: "header" }, name)), this.#all),
			make("p", { class: "state", part: "status", hidden: true }), list,
			make("p", { class: "empty", part: "empty", hidden: true }, make("slot", { name: "empty" }, this.text("empty"))),
			make("div", { class: "foot", part: "footer" }, make("slot", { name: "footer" }, this.#inboxLink())),
		);
		this.#button = make(
			"button", { type: "button", class: "bell", part: "bell", "aria-haspopup": "dialog", "aria-expanded": "false", click: () => this.#panel?.togglePopover() },
			make("slot", { name: "icon" }, icon(bell)), make("span", { class: "badge", part: "badge", "aria-hidden": "true", hidden: true }),
		);
		root.replaceChildren(this.#button, this.#panel, voice((stop) => this.until(stop)));
		const timer = setInterval(() => this.#panel?.matches(":popover-open") && this.#rows(client.getSnapshot(), true), 60_000);
		const place = () => this.#panel?.matches(":popover-open") && this.#place();
		addEventListener("resize", place);
		this.until(() => (clearInterval(timer), removeEventListener("resize", place)));
		this.until(() => entitle(this, null));
		if (this.flag("open")) queueMicrotask(() => this.show());
	}

	moved() {
		if (this.flag("open")) this.show();
	}

	left() {
		this.removeAttribute("open");
	}

	/** @param {string} name */
	changed(name) {
		if (name === "open") this.flag("open") ? this.show() : this.hide();
		else super.changed(name);
	}

	/** @param {Snapshot} now */
	draw(now) {
		const { unread } = now.badge;
		const badge = this.#button?.querySelector(".badge");
		if (!this.#button || !(badge instanceof HTMLElement)) return;
		this.toggleAttribute("data-signed-out", now.state === "signed-out");
		if (unread !== this.#unread) {
			const max = Number(this.getAttribute("max") ?? 99);
			const short = unread && unread > max ? `${max}+` : String(unread ?? "");
			badge.textContent = short;
			badge.hidden = !unread;
			this.#button.setAttribute("aria-label", unread === null ? this.text("title") : unread ? this.text("bell", { Count: unread }) : this.text("bell_none"));
			if (this.flag("title-badge")) entitle(this, unread ? short : "");
			if (unread && typeof this.#unread === "number" && unread > this.#unread) speak(this.text("bell", { Count: unread }));
			if (this.#all) this.#all.hidden = !unread;
			this.#unread = unread;
			if (unread !== null) this.emit("badge", now.badge);
		}
		const fault = this.fault(now);
		// Without a number, the name omits it, and the description gives the reason.
		if (unread === null && fault) this.#button.setAttribute("aria-description", fault);
		else this.#button.removeAttribute("aria-description");
		if (this.#panel?.matches(":popover-open")) this.#rows(now);
		const state = this.#panel?.querySelector(".state");
		if (state instanceof HTMLElement) [state.hidden, state.textContent] = [!fault, fault];
	}

	/** Opens the panel. */
	show() {
		if (this.#panel?.isConnected && !this.#panel.matches(":popover-open")) this.#panel.showPopover();
	}

	/** Closes the panel. */
	hide() {
		this.#panel?.hidePopover();
	}

	/** @param {boolean} open */
	async #toggled(open) {
		this.#button?.setAttribute("aria-expanded", String(open));
		this.toggleAttribute("open", open);
		this.emit(open ? "open" : "close");
		const client = this.client;
		if (!open || !client) return;
		this.#place();
		this.#notices = undefined;
		this.#rows(client.getSnapshot());
		if (client.getSnapshot().user === null) return; // the panel shows the reason
		try {
			await Promise.all([this.getAttribute("read-on") === "click" ? client.load() : client.open(), client.loadAnnouncements()]);
			this.failed = false;
		} catch (err) {
			this.failed = true;
			this.draw(client.getSnapshot());
			this.emit("error", { code: /** @type {any} */ (err).code ?? "failed", detail: String(err) });
		}
	}

	/** Puts the panel below the bell, or above it where there is more room. */
	#place() {
		if (!this.#panel || !this.#button) return;
		const at = this.#button.getBoundingClientRect();
		const { offsetWidth: width, offsetHeight: height } = this.#panel;
		const end = (this.getAttribute("placement") ?? "bottom-end").endsWith("end") === (getComputedStyle(this).direction === "ltr");
		const x = Math.min(Math.max(8, end ? at.right - width : at.left), innerWidth - width - 8);
		const room = innerHeight - at.bottom;
		const top = this.getAttribute("placement")?.startsWith("top");
		const below = top ? at.top < Math.min(height, 320) && room > at.top : room > Math.min(height, 320) || at.top < innerHeight / 2;
		this.#panel.style.setProperty("--x", `${x}px`);
		this.#panel.style.setProperty("--y", below ? `${at.bottom + 4}px` : `${Math.max(8, at.top - height - 4)}px`);
	}

	/** @param {Snapshot} now @param {boolean} [anew] */
	#rows(now, anew = false) {
		if (!this.#listing || (!anew && now.notices === this.#notices && now.announcements === this.#announcements)) return;
		[this.#notices, this.#announcements] = [now.notices, now.announcements];
		if (anew) this.#listing?.forget();
		const posts = (now.announcements ?? []).filter((a) => !a.read);
		const away = () => this.hide();
		this.#listing?.show([...posts, ...(now.notices ?? [])], (of) => (of.key ? row(this, of, away) : announcement(this, of)));
		const empty = this.#panel?.querySelector(".empty");
		if (empty instanceof HTMLElement) empty.hidden = now.notices === null || this.#listing.size > 0;
	}

	async #readAll() {
		const rows = this.client?.getSnapshot().notices ?? [];
		await Promise.all([rows[0] && this.client?.read({ upto: rows[0].at }), this.client?.readAnnouncements({ all: true })]).catch(() => {});
	}

	#inboxLink() {
		const href = this.getAttribute("inbox-href");
		return href ? make("a", { href }, this.text("inbox")) : "";
	}
}

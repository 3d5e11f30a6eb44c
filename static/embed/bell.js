// @ts-check
import { announcer } from "../js/announcer.js";
import { icon, make } from "./dom.js";
import { CarillonElement } from "./element.js";
import { announcement, Listing, row } from "./listing.js";

/** @typedef {import("./core.js").Snapshot} Snapshot */

const bell = "M6 8a6 6 0 0 1 12 0c0 7 3 9 3 9H3s3-2 3-9M10.3 21a2 2 0 0 0 3.4 0";

/** A bell with the number of what is unread, and a panel with the newest notices. */
export class CarillonBell extends CarillonElement {
	/** @type {HTMLElement | null} */ #button = null;
	/** @type {HTMLElement | null} */ #panel = null;
	/** @type {Listing | null} */ #listing = null;
	/** @type {HTMLElement | null} */ #all = null;
	/** @type {((said: string) => void) | null} */ #say = null;
	#unread = -1;
	#title = "";
	/** @type {Snapshot["notices"] | undefined} */ #notices;
	/** @type {Snapshot["announcements"] | undefined} */ #announcements;

	/** @param {ShadowRoot} root @param {import("./core.js").Client} client */
	start(root, client) {
		this.#notices = this.#announcements = undefined;
		this.#unread = -1;
		this.#title = document.title.replace(/^\(\d+\+?\) /, "");
		const name = this.text("title");
		const status = make("p", { class: "sr", role: "status", part: "status" });
		this.#say = announcer((said) => (status.textContent = said));
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
		root.replaceChildren(this.#button, this.#panel, status);
		const timer = setInterval(() => this.#panel?.matches(":popover-open") && this.#rows(client.getSnapshot(), true), 60_000);
		const place = () => this.#panel?.matches(":popover-open") && this.#place();
		addEventListener("resize", place);
		this.until(() => (clearInterval(timer), removeEventListener("resize", place)));
		this.until(() => this.hasAttribute("title-badge") && (document.title = this.#title));
		if (this.hasAttribute("open")) queueMicrotask(() => this.show());
	}

	/** @param {Snapshot} now */
	draw(now) {
		const { unread } = now.badge;
		const badge = this.#button?.querySelector(".badge");
		if (!this.#button || !(badge instanceof HTMLElement)) return;
		this.toggleAttribute("data-signed-out", now.state === "signed-out");
		if (now.state === "connecting") { // the number is not known yet
			this.#button.setAttribute("aria-label", this.text("title"));
			[badge.hidden, this.#unread] = [true, -1];
		} else if (unread !== this.#unread) {
			const max = Number(this.getAttribute("max") ?? 99);
			const short = unread > max ? `${max}+` : String(unread);
			badge.textContent = short;
			badge.hidden = unread === 0;
			this.#button.setAttribute("aria-label", unread ? this.text("bell", { Count: unread }) : this.text("bell_none"));
			if (this.hasAttribute("title-badge")) document.title = unread ? `(${short}) ${this.#title}` : this.#title;
			if (this.#unread >= 0 && unread > this.#unread) this.#say?.(this.text("bell", { Count: unread }));
			if (this.#all) this.#all.hidden = unread === 0;
			this.#unread = unread;
			this.tell("badge", now.badge);
		}
		if (this.#panel?.matches(":popover-open")) this.#rows(now);
		const state = this.#panel?.querySelector(".state");
		if (state instanceof HTMLElement) {
			const said = now.state === "reconnecting" || now.state === "offline" || now.state === "signed-out";
			state.hidden = !said;
			state.textContent = said ? this.#stateText(now.state) : "";
		}
	}

	/** @param {string} state */
	#stateText(state) {
		if (state === "signed-out") return this.text("signed_out");
		return state === "offline" ? this.text("offline") : this.text("reconnecting");
	}

	/** Opens the panel. */
	show() {
		this.#panel?.showPopover();
	}

	/** Closes the panel. */
	hide() {
		this.#panel?.hidePopover();
	}

	/** @param {boolean} open */
	async #toggled(open) {
		this.#button?.setAttribute("aria-expanded", String(open));
		this.toggleAttribute("open", open);
		this.tell(open ? "open" : "close");
		const client = this.client;
		if (!open || !client) return;
		this.#place();
		this.#notices = undefined;
		this.#rows(client.getSnapshot());
		try {
			await Promise.all([this.getAttribute("read-on") === "click" ? client.load() : client.open(), client.loadAnnouncements()]);
		} catch (err) {
			this.tell("error", { code: /** @type {any} */ (err).code ?? "failed", detail: String(err) });
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

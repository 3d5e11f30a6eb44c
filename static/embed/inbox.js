// @ts-check
import { make } from "./dom.js";
import { CarillonElement } from "./element.js";
import { announcement, button, Listing, row } from "./listing.js";
import { preferences } from "./preferences.js";
import { speak, voice } from "./voice.js";

/** @typedef {import("./core.js").Client} Client */
/** @typedef {import("./core.js").Snapshot} Snapshot */
/** @typedef {import("./rows.js").Row} Row */

/** @type {Record<string, string>} */ const names = { all: "tab_all", unread: "tab_unread", announcements: "tab_announcements" };

/** The whole inbox as part of a page. */
export class CarillonInbox extends CarillonElement {
	static observedAttributes = [...super.observedAttributes, "filter", "announcements", "preferences"];

	/** @type {HTMLElement | null} */ #list = null;
	/** @type {Listing | null} */ #listing = null;
	/** @type {HTMLElement | null} */ #empty = null;
	/** @type {HTMLElement | null} */ #more = null;
	/** @type {HTMLElement | null} */ #status = null;
	/** @type {HTMLElement[]} */ #tabs = [];
	/** @type {HTMLElement | null} */ #state = null;
	#filter = "all";
	/** @type {Snapshot | undefined} */ #drawn;

	/** @param {ShadowRoot} root @param {Client} client */
	start(root, client) {
		this.#drawn = undefined;
		this.#filter = this.getAttribute("filter") === "unread" ? "unread" : "all";
		this.#tabs = ["all", "unread", ...(this.#posts === "tab" ? ["announcements"] : [])].map((name) =>
			make("button", { type: "button", class: "action tab", part: "tab", "data-tab": name, "aria-pressed": String(name === this.#filter), click: () => this.#choose(name) }, this.text(names[name] ?? name)),
		);
		this.#list = make("ul", { part: "list", "aria-label": this.text("title") });
		this.#listing = new Listing(this.#list);
		this.#empty = make("p", { class: "empty", part: "empty", hidden: true }, make("slot", { name: "empty" }, this.text("empty")));
		this.#more = make("button", { type: "button", class: "action more", part: "action", hidden: true, click: () => this.#try(client.load({ more: true })) }, this.text("older"));
		this.#status = make("div", { class: "said", part: "status" });
		this.#state = make("p", { class: "state", part: "status", hidden: true });
		const readAll = make("button", { type: "button", class: "action", part: "action", click: () => this.#readAll() }, this.text("read_all"));
		root.replaceChildren(
			make("div", { class: "head", part: "header" }, make("slot", { name: "header" }), make("div", { class: "tabs", part: "tabs", role: "group" }, ...this.#tabs), readAll),
			this.#state, this.#status, this.#list, this.#empty, this.#more, this.flag("preferences") ? preferences(this, client) : "", make("slot", { name: "footer" }),
			voice((stop) => this.until(stop)),
		);
	}

	/** @param {Client} client */
	async load(client) {
		this.failed = false;
		const opens = this.#filter === "all" && this.getAttribute("read-on") !== "click";
		if (this.#posts !== "off") this.#try(client.loadAnnouncements());
		this.failed = !(await this.#try(opens ? client.open() : client.load({ filter: this.#filter === "unread" ? "unread" : "all" })));
		this.draw(client.getSnapshot());
	}

	get #posts() {
		return this.getAttribute("announcements") ?? "top";
	}

	/** @param {Snapshot} now */
	draw(now) {
		const fault = this.fault(now);
		if (this.#state) [this.#state.hidden, this.#state.textContent] = [!fault, fault];
		if (this.failed && now.state === "live" && now.notices === null && this.client) void this.load(this.client);
		if (!this.#list || (now.notices === this.#drawn?.notices && now.announcements === this.#drawn?.announcements && now.next === this.#drawn?.next)) return;
		this.#drawn = now;
		const apart = this.#filter === "announcements";
		const posts = (now.announcements ?? []).filter((a) => apart || (this.#posts === "top" && !a.read));
		const shown = apart ? [] : (now.notices ?? []).filter((r) => this.#filter === "all" || !r.read);
		this.#listing?.show([...posts, ...shown], (of) => (of.key ? row(this, of, () => {}, this.#toggle(of), this.#delete(of)) : announcement(this, of)));
		if (this.#empty) this.#empty.hidden = now.notices === null || this.#list.childElementCount > 0;
		if (this.#more) this.#more.hidden = apart || now.next === null;
	}

	/** @param {Row} row */
	#toggle(row) {
		const client = this.client;
		return row.read && !row.new
			? button(this, "mark_unread", row.title, () => this.#try(client?.unread([row.key])))
			: button(this, "mark_read", row.title, () => this.#try(client?.read({ keys: [row.key] })));
	}

	/** @param {Row} row */
	#delete(row) {
		return button(this, "delete", row.title, async () => {
			if (!(await this.#try(this.client?.delete([row.key])))) return;
			const undo = make("button", { type: "button", class: "action", part: "action", click: () => this.#try(this.client?.restore([row.key])).then(() => this.#status?.replaceChildren()) }, this.text("undo"));
			this.#say(this.text("deleted"), " ", undo);
		});
	}

	/** @param {string} filter */
	#choose(filter) {
		this.#filter = filter;
		this.#drawn = undefined;
		for (const tab of this.#tabs) tab.setAttribute("aria-pressed", String(tab.dataset.tab === filter));
		this.#try(filter === "announcements" ? this.client?.loadAnnouncements() : this.client?.load({ filter }));
	}

	#readAll() {
		const newest = this.client?.getSnapshot().notices?.[0];
		if (newest) this.#try(this.client?.read({ upto: newest.at }));
		this.#try(this.client?.readAnnouncements({ all: true }));
	}

	/** Reports whether a call succeeded. @param {Promise<unknown> | undefined} call */
	async #try(call) {
		try {
			await call;
			return true;
		} catch (err) {
			this.emit("error", { code: /** @type {any} */ (err).code ?? "failed", detail: String(err) });
			if (this.client?.getSnapshot().notices) this.#say(this.text("failed"));
			return false;
		}
	}

	/** @param {string} text @param {...(Node | string)} more */
	#say(text, ...more) {
		this.#status?.replaceChildren(text, ...more);
		speak(text);
	}
}

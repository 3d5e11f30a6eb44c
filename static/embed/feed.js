// @ts-check
import { make, route } from "./dom.js";
import { later } from "./lazy.js";
import { list } from "./listing.js";
import { noticeRow, postRow } from "./row.js";

/** @typedef {import("./core.js").Client} Client */
/** @typedef {import("./core.js").Snapshot} Snapshot */
/** @typedef {import("./avatar.js").Look} Look */

export const bell = "M6 8a6 6 0 0 1 12 0c0 7 3 9 3 9H3s3-2 3-9M10.3 21a2 2 0 0 0 3.4 0";

/** The rows of an element, what stands in their place, and what the user does with them. */
export class Feed {
	/** The icons of types; without them rows have initials. @type {Map<string, Promise<Look | undefined>>} */ #looks = new Map();
	said = make("div", { class: "said", part: "status" });
	#state = make("p", { class: "state", part: "status", hidden: true });
	#empty;
	/** @type {WeakMap<object, HTMLElement>} */ #made = new WeakMap();
	#away;

	/** @param {import("./element.js").CarillonElement} el @param {Client} client @param {string} acts hover, menu or none @param {() => void} [away] is called when the user follows a link */
	constructor(el, client, acts, away) {
		this.el = el;
		this.client = client;
		this.acts = acts;
		this.#away = away;
		this.list = make("ul", { part: "list", "aria-label": el.text("title") });
		this.#empty = make("div", { class: "empty", part: "empty", hidden: true }, make("slot", { name: "empty" }, el.text("empty")));
	}

	get nodes() {
		return [this.#state, this.list, this.#empty, this.said];
	}

	/** @param {Snapshot} now @param {readonly any[]} posts @param {Snapshot["notices"]} notices */
	show(now, posts, notices = now.notices) {
		const types = (notices ?? []).map((row) => row.type).filter((type) => !this.#looks.has(type)).slice(0, 100);
		/** @type {any} */ const asked = types[0] && this.client.looks(types).catch(() => ({ looks: {} }));
		for (const type of types) this.#looks.set(type, asked.then((/** @type {{looks: Record<string, Look>}} */ { looks }) => looks[type]));
		if (types[0]) later(({ begin }) => begin(this));
		const fault = this.el.fault(now);
		[this.#state.hidden, this.#state.textContent] = [!fault, fault];
		list(this.list, this.#made, [...posts, ...(notices ?? [])], (of) => (of.key ? noticeRow(this, of, this.#looks.get(of.type)) : postRow(this, of)));
		const waits = notices === null;
		this.#empty.hidden = waits || this.list.hasChildNodes();
		return fault;
	}

	/** Reports whether a call succeeded. @param {Promise<unknown> | undefined} call */
	async try(call) {
		try {
			await call;
			return true;
		} catch (err) {
			this.el.emit("error", { code: /** @type {any} */ (err).code ?? "failed", detail: String(err) });
			if (this.client.getSnapshot().notices) later(({ say }) => say(this, this.el.text("failed")));
			return false;
		}
	}

	/** Adds what the user can do with a row. @param {HTMLElement} li @param {import("./rows.js").Row} row */
	act(li, row) {
		if (this.acts !== "none" || row.ask) later(({ act }) => act(this, li, row));
	}

	readAll() {
		const { notices } = this.client.getSnapshot();
		if (notices?.[0]) this.try(this.client.read({ upto: notices[0].at }));
		this.try(this.client.readAnnouncements({ all: true }));
	}

	/** The user follows a link, which a router of the page may take over. @param {Event} e @param {string} link @param {any} notice */
	follow(e, link, notice) {
		if (!this.el.emit("navigate", { href: route(link), notice })) e.preventDefault();
		this.#away?.();
	}
}

// @ts-check
import { icon, make, route } from "./dom.js";
import { later, lazy, tried } from "./lazy.js";
import { list } from "./listing.js";
import { rowOf } from "./row.js";
import { placeOf } from "./rows.js";

/** @typedef {import("./core.js").Client} Client */
/** @typedef {import("./core.js").Snapshot} Snapshot */

export const bell = "M6 8a6 6 0 0 1 12 0c0 7 3 9 3 9H3s3-2 3-9M10.3 21a2 2 0 0 0 3.4 0";

/** The rows of an element, what stands in their place, and what the user does with them. */
export class Feed {
	said = make("div", { class: "said", part: "status" });
	#state = make("p", { class: "state", part: "status", hidden: true });
	#waits = make("div", { "aria-hidden": "true", hidden: true }, ...[1, 2, 3].map(() => make("div", { class: "skeleton", part: "skeleton" })));
	#empty;
	#nothing = { "": make("b"), _text: make("span") };
	/** @type {WeakMap<object, HTMLElement>} */ #made = new WeakMap();
	#away;
	#again = () => {};

	/** @param {import("./element.js").CarillonElement} el @param {Client} client @param {string} acts hover, menu or none @param {() => void} [away] is called when the user follows a link */
	constructor(el, client, acts, away) {
		this.el = el;
		this.client = client;
		this.acts = acts;
		this.#away = away;
		this.list = make("ul", { part: "list", "aria-label": el.text("title") });
		this.#empty = make("div", { class: "empty", part: "empty", hidden: true }, make("slot", { name: "empty" }, icon(bell), ...Object.values(this.#nothing)));
	}

	get nodes() {
		return [this.#state, this.#waits, this.list, this.#empty, this.said];
	}

	/** @param {Snapshot} now @param {readonly any[]} posts @param {Snapshot["notices"]} notices */
	show(now, posts, notices = now.notices) {
		const fault = this.el.fault(now);
		[this.#state.hidden, this.#state.textContent] = [!fault, fault];
		// Rows are drawn with what they have beside their text, unless it cannot be loaded: so nothing moves afterwards.
		this.#again = () => this.show(now, posts, notices);
		if (!tried && (posts[0] || notices?.[0])) {
			void lazy().then(() => this.#again());
			[posts, notices] = [[], null];
		}
		list(this.list, this.#made, [...posts, ...(notices ?? [])], (of) => rowOf(this, of));
		const waits = notices === null;
		this.#waits.hidden = !waits || Boolean(fault);
		this.#empty.hidden = waits || this.list.hasChildNodes();
		const place = placeOf(now.filter);
		for (const [name, line] of Object.entries(this.#nothing)) line.textContent = this.el.text(`empty${place ? `_${place}` : ""}${name}`);
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

	/** Adds what a row has beside its text, and what the user can do with it. @param {HTMLElement} li @param {any} of */
	act(li, of) {
		later(({ act }) => act(this, li, of));
	}

	readAll() {
		const { notices } = this.client.getSnapshot();
		if (notices?.[0]) this.try(this.client.read({ upto: notices[0].at }));
		this.try(this.client.readAnnouncements({ all: true }));
	}

	/** Returns what happens when the user follows a link of a row, which a router of the page may take over. @param {any} of @param {string} link */
	follow(of, link) {
		return (/** @type {Event} */ e) => {
			if (!of.read) (of.key ? this.client.read({ keys: [of.key] }) : this.client.readAnnouncements({ ids: [of.id] })).catch(() => {});
			if (!this.el.emit("navigate", { href: route(link), notice: of })) e.preventDefault();
			this.#away?.();
		};
	}
}

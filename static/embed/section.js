// @ts-check
import { complain } from "./complain.js";
import { placeOf } from "./rows.js";

/** @typedef {import("./core.js").Client} Client */
/** @typedef {import("./rows.js").Row} Row */
/** @typedef {(rows: readonly Row[], ...about: any[]) => readonly Row[]} Change */

const soon = 200; // ms from a change until what is on display is read again
const calm = 1_000; // ms from one such reading to the next
const [least, most] = [30, 200]; // rows of one call

/**
 * The notices of some types, of one scope or of one app, with their own badge and page of rows. They are read again whenever the page's
 * client hears of a change.
 */
export class Section extends EventTarget {
	#known;
	#filter = "all";
	/** @type {ReturnType<typeof setTimeout> | undefined} */ #due;
	#last = 0; // ms: when it was read again
	/** @type {Promise<void> | undefined} */ #opening;
	#of;
	#what;
	#stops;

	/** @param {Client} of @param {Record<string, string>} what the parameters type, scope and app of a call @param {import("./snapshot.js").Known} known where it is kept */
	constructor(of, what, known) {
		super();
		this.#known = known;
		this.#of = of;
		this.#what = what;
		/** @type {unknown[]} */ let had = [];
		this.#stops = [
			of.subscribe(({ user, state, badge, notices }) => {
				if (user !== this.#known.now.user) this.#begin(state, user);
				else if (state !== this.#known.now.state) this.#known.set({ state });
				else if (badge !== had[0] || notices !== had[1]) this.#hear();
				had = [badge, notices];
			}),
			of.on("change", () => this.#hear()),
			...["error", "toast"].map((name) => of.on(name, ({ detail }) => this.#emit(name, detail))),
			of.on("notice", ({ detail }) => this.#has(detail) && this.#emit("notice", detail)),
		];
	}

	/** Ends it. The page's client goes on. */
	close() {
		for (const stop of this.#stops) stop();
		clearTimeout(this.#due);
		this.#known.close();
	}

	/** @param {(now: import("./core.js").Snapshot) => void} fn */
	subscribe(fn) {
		return this.#known.subscribe(fn);
	}

	getSnapshot = () => this.#known.now;

	/** @param {string} name @param {(e: CustomEvent) => void} fn */
	on(name, fn) {
		this.addEventListener(name, /** @type {EventListener} */ (fn));
		return () => this.removeEventListener(name, /** @type {EventListener} */ (fn));
	}

	/** @param {{filter?: string, more?: boolean}} [which] */
	async load({ filter = this.#filter, more } = {}) {
		const { next, notices } = this.#known.now;
		const before = more && next;
		this.#show(filter);
		await this.#known.page(this.#page(before ? { before: String(before) } : {}), (before && notices) || []);
	}

	/** Marks everything of the section as read, and nothing else, but for what the user has marked as unread; what was unread is `new`. */
	async open() {
		this.#show("all");
		this.#opening = this.#known.page(this.#call("POST", "open").then(async (page) => ({ ...page, badge: await this.#call("GET", "badge") })));
		await this.#opening;
	}

	/** @returns {Promise<Row[]>} */
	async unreads() {
		return (await this.#call("GET", "notices", { filter: "unread", limit: String(most) })).notices;
	}

	/** Changes the rows at once, and reads them again after the call. @param {Promise<any>} call @param {Change} change @param {any[]} about */
	async change(call, change, ...about) {
		this.#known.rows(change, ...about);
		if (this.#filter === "unread") this.#known.rows((rows) => rows.filter(({ read }) => !read));
		try {
			return await call;
		} finally {
			this.#hear();
		}
	}

	/** @param {import("./snapshot.js").State} state @param {string | null} user */
	#begin(state, user) {
		clearTimeout(this.#due);
		this.#due = undefined;
		this.#last = 0;
		this.#known.become(state, user);
		if (user !== null) void this.#quietly(this.#again());
	}

	#hear() {
		if (this.#known.now.user !== null) this.#due ??= setTimeout(() => {
			this.#due = undefined;
			void this.#quietly(this.#again());
		}, Math.max(soon, this.#last + calm - Date.now()));
	}

	/** Reads again what is on display. */
	async #again() {
		await this.#opening?.catch(() => {}); // its page says what is new
		this.#last = Date.now();
		const { notices } = this.#known.now;
		if (!notices) return this.#known.count(await this.#call("GET", "badge"));
		const limit = Math.min(most, Math.max(least, notices.length));
		await this.#known.page(this.#page({ limit: String(limit) }).then((page) => ({ ...page, notices: page.notices.map((/** @type {Row} */ row) => this.#same(row)) })));
	}

	/** Returns the row on display if it is the same, so that it stays as it is, or the new one. What was opened stays new. @param {Row} row @returns {Row} */
	#same(row) {
		const old = this.#known.now.notices?.find(({ key, at }) => key === row.key && at === row.at);
		const now = old?.new && row.read ? { ...row, new: true } : row;
		return JSON.stringify(old) === JSON.stringify(now) ? /** @type {Row} */ (old) : now;
	}

	/** @param {Record<string, string>} which */
	async #page(which) {
		const [page, badge] = await Promise.all([this.#call("GET", "notices", { filter: this.#filter, ...which }), this.#call("GET", "badge")]);
		return { ...page, badge };
	}

	/** Makes a call for the section. @param {string} method @param {string} path @param {Record<string, string>} [which] @returns {Promise<any>} */
	#call(method, path, which) {
		return this.#of.call(method, `${path}?${new URLSearchParams({ ...this.#what, ...which })}`);
	}

	/** Rows are on display from now on: those of another place disappear at once. @param {string} filter */
	#show(filter) {
		if (placeOf(filter) !== placeOf(this.#filter)) this.#known.set({ notices: null, next: null });
		this.#known.set({ filter: (this.#filter = filter) });
	}

	/** @param {any} row of an event */
	#has({ type, scope = "", app }) {
		const of = this.#what;
		return (!of.type || of.type.split(",").includes(type)) && (of.scope ?? scope) === scope && (of.app === undefined || of.app === (app?.name ?? app ?? ""));
	}

	/** @param {Promise<unknown>} work */
	#quietly(work) {
		return work.catch((err) => {
			if (err.code === "invalid") complain(`${new URLSearchParams(this.#what)}: ${err.message}`); // of an attribute
			this.#emit("error", { code: err.code ?? "failed", detail: err.message });
		});
	}

	/** @param {string} name @param {any} detail */
	#emit(name, detail) {
		this.dispatchEvent(new CustomEvent(name, { detail }));
	}
}

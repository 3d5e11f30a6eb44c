// @ts-check
import { newer } from "../js/badge.js";
import { calls } from "./calls.js";
import { follow } from "./follow.js";
import { home, ours } from "./home.js";
import { changed, dropped, marked, put } from "./rows.js";
import { Taking } from "./taking.js";
import { Session, SignedOut, tokenFrom, Tokens } from "./tokens.js";

/**
 * @typedef {"connecting" | "live" | "reconnecting" | "polling" | "offline" | "signed-out"} State
 * @typedef {import("./rows.js").Row} Row
 * @typedef {{unread: number, inbox: number, announcements: number}} Counts
 * @typedef {{readonly state: State, readonly user: string | null, readonly badge: Counts,
 *   readonly notices: readonly Row[] | null, readonly next: number | null, readonly announcements: readonly any[] | null}} Snapshot
 */

const none = { unread: 0, inbox: 0, announcements: 0, ver: 0, aver: 0 };
const buffered = 5_000; // ms after which a stream without an event means that a proxy buffers it
const pollEvery = 30_000;
const most = 500; // rows that are kept

/**
 * The notices of one user: a store whose snapshots never change.
 *
 * Events for `on`: `notice`, `toast` (`detail.shown()` says that it was shown) and `error`.
 */
export class Client extends EventTarget {
	/** @type {Snapshot} */ #now = Object.freeze({ state: "connecting", user: null, badge: none, notices: null, next: null, announcements: null });
	/** @type {Set<(now: Snapshot) => void>} */ #subscribers = new Set();
	/** @type {import("../js/badge.js").Badge} */ #badge = none;
	#following = new AbortController(); // the user
	/** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
	#off = new AbortController();
	#filter = "all";
	#toasts = false;
	#server;
	#tokens;
	/** @type {(method: string, path: string, body?: object) => Promise<any>} */ #call;

	/** @param {{server: string, provide?: () => Promise<string | null | undefined>, source?: string}} options source names where tokens come from */
	constructor({ server, provide, source = "" }) {
		super();
		this.#server = server;
		const told = (/** @type {string} */ user) => this.#become(user);
		this.#tokens = provide ? new Tokens(provide, told, source && `${server} ${source}`, this.#off.signal) : new Session(server, told);
		const call = calls(server, this.#tokens, this.#off.signal);
		this.#call = async (/** @type {Parameters<typeof call>} */ ...about) => {
			const { user } = this.#now;
			const answer = await call(...about);
			// An answer about a user who has left must not show in the page of the next.
			if (user && user !== this.#now.user) throw new Error("another user has signed in");
			return answer;
		};
		void this.#begin();
	}

	/** Calls fn now and after each change. Returns how to stop. @param {(now: Snapshot) => void} fn */
	subscribe(fn) {
		this.#subscribers.add(fn);
		fn(this.#now);
		return () => void this.#subscribers.delete(fn);
	}

	getSnapshot = () => this.#now;

	/** @param {string} name @param {(e: CustomEvent) => void} fn */
	on(name, fn) {
		this.addEventListener(name, /** @type {EventListener} */ (fn));
		return () => this.removeEventListener(name, /** @type {EventListener} */ (fn));
	}

	/** Loads the first page, or the next one. @param {{filter?: string, more?: boolean}} [which] */
	async load({ filter = this.#filter, more = false } = {}) {
		const before = more ? this.#now.next : null;
		this.#filter = filter;
		const page = await this.#call("GET", `notices?filter=${filter}${before ? `&before=${before}` : ""}`);
		if (filter !== this.#filter) return; // another page was asked for meanwhile
		this.#count(page.badge);
		this.#set({ notices: before ? [...(this.#now.notices ?? []), ...page.notices] : page.notices, next: page.next });
	}

	async loadAnnouncements() {
		const list = await this.#call("GET", "announcements");
		this.#count(list.badge);
		this.#set({ announcements: list.announcements });
	}

	/** Opens the inbox: everything is read, and `new` marks what was unread. */
	async open() {
		const page = await this.#call("POST", "open");
		this.#filter = "all";
		this.#count(page.badge);
		this.#set({ notices: page.notices, next: page.next });
	}

	/** @param {{keys: string[]} | {upto: number | string} | {subject: string}} what */
	read(what) {
		return this.#change("read", what, (rows) => marked(rows, what, true));
	}

	/** @param {string[]} keys */
	unread(keys) {
		return this.#change("unread", { keys }, (rows) => marked(rows, { keys }, false));
	}

	/** @param {string[]} keys */
	delete(keys) {
		return this.#change("delete", { keys }, (rows) => dropped(rows, keys));
	}

	/** Undoes a deletion for 10 minutes. @param {string[]} keys */
	async restore(keys) {
		this.#count(await this.#call("POST", "restore", { keys }));
		await this.load();
	}

	/** Returns who is signed in, with their settings and the types of notices. */
	me() {
		return this.#call("GET", "");
	}

	/** Mutes a type of notices, or unmutes it. @param {string} type @param {boolean} muted */
	mute(type, muted) {
		return this.#call(muted ? "PUT" : "DELETE", `mutes/${encodeURIComponent(type)}`);
	}

	/** @param {{ids: number[]} | {all: true}} what */
	async readAnnouncements(what) {
		this.#count(await this.#call("POST", "announcements/read", what));
		await this.loadAnnouncements();
	}

	/**
	 * Has toasts come to this page: each is a `toast` event in one visible tab of the
	 * browser, whose `detail.shown()` tells the server that it was shown.
	 */
	takeToasts() {
		if (this.#toasts) return;
		this.#toasts = true;
		const user = this.#now.user;
		if (!user) return;
		this.#listen(user);
	}

	/** Ends everything. A client that was closed stays so. */
	close() {
		this.#off.abort();
		clearTimeout(this.#timer);
		this.#following.abort();
		this.#subscribers.clear();
	}

	/** Closes, and says that nobody is signed in. */
	end() {
		this.#set({ state: "signed-out", user: null, badge: none, notices: null, next: null, announcements: null });
		this.close();
	}

	async #begin() {
		try {
			await this.#tokens.get();
		} catch (err) {
			if (err instanceof SignedOut) return this.#set({ state: "signed-out" });
			this.#fail(err);
			this.#timer = setTimeout(() => void this.#begin(), pollEvery);
		}
	}

	/** Begins to follow a user. Nothing of the user before is left. @param {string} user */
	#become(user) {
		if (user === this.#now.user || this.#off.signal.aborted) return;
		this.#following.abort();
		this.#badge = none;
		this.#set({ state: "connecting", user, badge: none, notices: null, next: null, announcements: null });
		this.#listen(user);
	}

	/** Follows the events of a user. @param {string} user */
	#listen(user) {
		this.#following.abort();
		this.#following = new AbortController();
		const taking = new Taking(`${this.#server} ${user}`);
		const rows = (/** @type {(rows: readonly Row[], detail: any) => readonly Row[]} */ change) => (/** @type {any} */ detail) => this.#rows((rows) => change(rows, detail));
		const reload = () => void (this.#now.announcements && this.#quietly(this.loadAnnouncements()));
		const active = (/** @type {boolean} */ visible) => this.#toasts && this.#quietly(this.#call("POST", "active", { visible }));
		follow(`${this.#server}api/v1/me/events?toasts=${Number(this.#toasts)}`, `${this.#server} ${user}`, this.#tokens, this.#following.signal, {
			state: (state) => this.#follow(state),
			badge: (badge) => {
				this.#stopPolling();
				this.#count(badge);
			},
			notice: (row) => {
				this.#rows((rows) => put(rows, row, this.#filter));
				this.#bound();
				this.dispatchEvent(new CustomEvent("notice", { detail: row }));
			},
			changed: rows(changed),
			read: rows((rows, what) => marked(rows, what, true)),
			unread: rows((rows, what) => marked(rows, what, false)),
			removed: rows((rows, { key }) => dropped(rows, [key])),
			toast: (toast) => this.#take(taking, toast),
			announcement: reload,
			announcement_read: reload,
			announcement_unread: reload,
			announcement_removed: reload,
		});
		document.addEventListener("visibilitychange", () => active(document.visibilityState === "visible"), { signal: this.#following.signal });
	}

	/** @param {Taking} taking @param {any} toast */
	#take(taking, toast) {
		if (!this.#toasts) return;
		const ids = toast.id.split(",");
		const shown = () => void this.#quietly(this.#call("POST", "toasts/ack", { ids }));
		void taking.take(toast.id, () => this.dispatchEvent(new CustomEvent("toast", { detail: { toast, shown } })), shown);
	}

	/** @param {State} state */
	#follow(state) {
		clearTimeout(this.#timer);
		if (state === "live") {
			this.#timer = setTimeout(() => this.#poll(), buffered);
			// Events may have been missed.
			if (this.#now.notices) this.#quietly(this.load());
			if (this.#now.announcements) this.#quietly(this.loadAnnouncements());
		}
		this.#set({ state });
	}

	#poll() {
		console.warn("Carillon: a proxy buffers the event stream. Switch buffering off for /api/v1/me/events; until then the number is polled.");
		const ask = async () => {
			this.#set({ state: "polling" });
			await this.#quietly(this.#call("GET", "badge").then((badge) => this.#count(badge)));
			if (!this.#off.signal.aborted) this.#timer = setTimeout(ask, pollEvery);
		};
		void ask();
	}

	#stopPolling() {
		clearTimeout(this.#timer);
		if (this.#now.state === "polling") this.#set({ state: "live" });
	}

	/** @param {import("../js/badge.js").Badge} badge */
	#count(badge) {
		this.#badge = newer(this.#badge, badge);
		const { unread, inbox, announcements } = this.#badge;
		const is = this.#now.badge;
		if (unread !== is.unread || inbox !== is.inbox || announcements !== is.announcements) this.#set({ badge: { unread, inbox, announcements } });
	}

	/** @param {(rows: readonly Row[]) => readonly Row[]} change */
	#rows(change) {
		if (!this.#now.notices) return;
		const notices = change(this.#now.notices);
		if (notices !== this.#now.notices) this.#set({ notices });
	}

	/** Lets go of the oldest rows of a page that stays open for days: they can be loaded again. */
	#bound() {
		const rows = this.#now.notices ?? [];
		if (rows.length > most) this.#set({ notices: rows.slice(0, most), next: rows[most - 1]?.at ?? null });
	}

	/** Changes the rows at once, and takes that back if the server refuses. @param {string} path @param {object} body @param {(rows: readonly Row[]) => readonly Row[]} change */
	async #change(path, body, change) {
		this.#rows(change);
		try {
			this.#count(await this.#call("POST", path, body));
		} catch (err) {
			if (this.#now.notices) this.#quietly(this.load());
			throw err;
		}
	}

	/** @param {Partial<Snapshot>} part */
	#set(part) {
		this.#now = Object.freeze({ ...this.#now, ...part });
		for (const tell of this.#subscribers) tell(this.#now);
	}

	/** @param {Promise<unknown>} work */
	async #quietly(work) {
		await work.catch((err) => this.#fail(err));
	}

	/** @param {any} err */
	#fail(err) {
		this.dispatchEvent(new CustomEvent("error", { detail: { code: err.code ?? "failed", detail: String(err.message) } }));
	}
}

/**
 * Connects a page to the notices of its user. On the server's own host it needs no tokens.
 * @param {{server?: string, tokenUrl?: string, tokenProvider?: () => Promise<string | null | undefined>}} options
 */
export function connect({ server = home, tokenUrl, tokenProvider }) {
	const provide = tokenProvider ?? (tokenUrl ? tokenFrom(tokenUrl) : undefined);
	if (!provide && !ours(server)) throw new TypeError("connect needs tokenUrl or tokenProvider");
	return new Client({ server, provide, source: tokenUrl });
}

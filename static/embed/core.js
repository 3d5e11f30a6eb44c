// @ts-check
import { backoff } from "../js/stream.js";
import { addressOf, baseOf, ours } from "./base.js";
import { calls } from "./calls.js";
import { complain, refused } from "./complain.js";
import { follow } from "./follow.js";
import { Polling } from "./polling.js";
import { changed, dropped, marked } from "./rows.js";
import { Known } from "./snapshot.js";
import { Taking } from "./taking.js";
import { Session, SignedOut, tokenFrom, Tokens } from "./tokens.js";

/**
 * @typedef {import("./snapshot.js").State} State
 * @typedef {import("./snapshot.js").Snapshot} Snapshot
 * @typedef {import("./rows.js").Row} Row
 */

/**
 * The notices of one user: a store whose snapshots never change.
 *
 * Events for `on`: `notice`, `toast` (`detail.shown()` reports that it was shown) and `error`.
 */
export class Client extends EventTarget {
	#known = new Known();
	#following = new AbortController(); // the user
	#polling = new Polling(() => {
		this.#known.set({ state: "polling" });
		return this.#quietly(this.#call("GET", "badge").then((badge) => this.#known.count(badge)));
	});
	#off = new AbortController(); // until the user signs out
	#closed = false;
	#failures = 0; // to determine who is signed in
	#filter = "all";
	#toasts = false;
	#server;
	#make;
	/** @type {Tokens} */ #tokens;
	/** @type {(method: string, path: string, body?: object) => Promise<any>} */ #call;

	/** @param {{server: string, provide?: (signal: AbortSignal) => Promise<string | null | undefined>, source?: string}} options source identifies the origin of the tokens */
	constructor({ server, provide, source = "" }) {
		super();
		this.#server = server;
		this.#make = (/** @type {(user: string) => void} */ onUser, /** @type {AbortSignal} */ signal) =>
			provide ? new Tokens(provide, onUser, source && `${server} ${source}`, signal) : new Session(server, onUser);
		[this.#tokens, this.#call] = this.#connect();
		void this.#begin();
	}

	/** Calls fn now and after each change. Returns a function that unsubscribes. @param {(now: Snapshot) => void} fn */
	subscribe(fn) {
		return this.#known.subscribe(fn);
	}

	getSnapshot = () => this.#known.now;

	/** @param {string} name @param {(e: CustomEvent) => void} fn */
	on(name, fn) {
		this.addEventListener(name, /** @type {EventListener} */ (fn));
		return () => this.removeEventListener(name, /** @type {EventListener} */ (fn));
	}

	/** Loads the first page, or the next one. @param {{filter?: string, more?: boolean}} [which] */
	async load({ filter = this.#filter, more } = {}) {
		const { next, notices } = this.#known.now;
		const before = more && next;
		this.#filter = filter;
		await this.#known.page(this.#call("GET", `notices?filter=${filter}${before ? `&before=${before}` : ""}`), (before && notices) || []);
	}

	async loadAnnouncements() {
		const { badge, announcements } = await this.#call("GET", "announcements");
		this.#known.count(badge);
		this.#known.set({ announcements });
	}

	/** Opens the inbox: marks everything as read, and what was unread as `new`. */
	async open() {
		this.#filter = "all";
		await this.#known.page(this.#call("POST", "open"));
	}

	/** @param {{keys: string[]} | {upto: number | string} | {subject: string}} what */
	async read(what) {
		await this.#change("read", what, marked, what, true);
		if ("subject" in what && this.#known.now.notices) await this.load();
	}

	/** @param {string[]} keys */
	unread(keys) {
		return this.#change("unread", { keys }, marked, { keys }, false);
	}

	/** @param {string[]} keys */
	delete(keys) {
		return this.#change("delete", { keys }, dropped, keys);
	}

	/** Undoes a deletion, which is possible for 10 minutes. @param {string[]} keys */
	async restore(keys) {
		this.#known.count(await this.#call("POST", "restore", { keys }));
		await this.load();
	}

	/** Returns the signed-in user, with their settings and the types of notices. */
	me() {
		return this.#call("GET", "");
	}

	/** Mutes a type of notices, or unmutes it. @param {string} type @param {boolean} muted */
	mute(type, muted) {
		return this.#call(muted ? "PUT" : "DELETE", `mutes/${encodeURIComponent(type)}`);
	}

	/** @param {{ids: number[]} | {all: true}} what */
	async readAnnouncements(what) {
		this.#known.count(await this.#call("POST", "announcements/read", what));
		await this.loadAnnouncements();
	}

	/**
	 * Directs toasts to this page: each is a `toast` event in one visible tab of the browser, whose `detail.shown()`
	 * reports to the server that it was shown.
	 */
	takeToasts() {
		if (this.#toasts) return;
		this.#toasts = true;
		const { user } = this.#known.now;
		if (user) this.#listen(user);
	}

	/**
	 * Determines again who is signed in, and reloads everything on display: for a sign-in or sign-out without a new
	 * page. It also restarts a client after `end`.
	 */
	async refresh() {
		if (this.#closed) return;
		if (this.#off.signal.aborted) {
			[this.#tokens, this.#call] = this.#connect();
			this.#known.set({ state: "connecting" });
		}
		if (await this.#begin(this.#tokens.anew())) await Promise.all([this.load(), this.loadAnnouncements()]);
	}

	/** Ends everything, permanently. */
	close() {
		this.#closed = true;
		this.#stop();
		this.#off.abort();
		this.#known.close();
	}

	/** Drops the user immediately; the state becomes signed out. `refresh` starts again. */
	end() {
		this.#off.abort();
		this.#leave();
	}

	/** @returns {[Tokens, (method: string, path: string, body?: object) => Promise<any>]} */
	#connect() {
		const { signal } = (this.#off = new AbortController());
		const tokens = this.#make((user) => signal.aborted || this.#become(user), signal);
		const call = calls(this.#server, tokens, signal);
		addEventListener("online", () => this.#known.now.user || void this.#begin(), { signal });
		return [tokens, async (...about) => {
			const { user } = this.#known.now;
			const answer = await call(...about).catch((err) => {
				if (err instanceof SignedOut && !signal.aborted) this.#lost();
				throw err;
			});
			// A response about a user who has left must not appear in the page of the next user.
			if (signal.aborted || (user && user !== this.#known.now.user)) throw new Error("user left");
			return answer;
		}];
	}

	/** Determines who is signed in, and reports whether a user is. A failure is retried soon. @returns {Promise<boolean | void>} */
	async #begin(asked = this.#tokens.get()) {
		const { signal } = this.#off;
		try {
			await asked;
			this.#failures = 0;
			return true;
		} catch (err) {
			if (signal.aborted) return;
			const { message } = /** @type {Error} */ (err);
			if (err instanceof SignedOut) this.#leave();
			else if (!this.#known.now.user) this.#known.set({ state: navigator.onLine ? "reconnecting" : "offline" });
			if (!message) return; // the application gave a definite response
			complain(message);
			this.#fail(err);
			const nth = ++this.#failures;
			setTimeout(() => signal.aborted || nth !== this.#failures || this.#begin(), backoff(nth - 1, Math.random()));
		}
	}

	#stop() {
		this.#polling.stop();
		this.#following.abort();
	}

	#leave() {
		this.#stop();
		this.#known.become("signed-out", null);
	}

	/** The user has left, or the application gave an unclear response: then asks it again. */
	#lost() {
		this.#leave();
		void this.#begin();
	}

	/** Starts following a user. All data of the previous user is dropped. @param {string} user */
	#become(user) {
		if (user === this.#known.now.user) return;
		this.#stop();
		this.#known.become("connecting", user);
		this.#listen(user);
	}

	/** Follows the events of a user. @param {string} user */
	#listen(user) {
		this.#following.abort();
		this.#following = new AbortController();
		const taking = new Taking(`${this.#server} ${user}`);
		const reload = () => void (this.#known.now.announcements && this.#quietly(this.loadAnnouncements()));
		follow(`${this.#server}api/v1/me/events?toasts=${Number(this.#toasts)}&zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}`, `${this.#server} ${user}`, this.#tokens, this.#following.signal, {
			state: (state, status) => this.#follow(state, status),
			badge: (badge) => {
				this.#polling.stop();
				if (this.#known.now.state === "polling") this.#known.set({ state: "live" });
				this.#known.count(badge);
			},
			notice: (row) => {
				this.#known.add(row, this.#filter);
				this.#emit("notice", row);
			},
			changed: (row) => this.#known.rows(changed, row),
			read: (what) => this.#known.rows(marked, what, true),
			unread: (what) => this.#known.rows(marked, what, false),
			removed: ({ key }) => this.#known.rows(dropped, [key]),
			toast: (toast) => this.#take(taking, toast),
			announcement: reload,
			announcement_read: reload,
			announcement_unread: reload,
			announcement_removed: reload,
		});
		document.addEventListener("visibilitychange", () => this.#toasts && this.#quietly(this.#call("POST", "active", { visible: document.visibilityState === "visible" })), { signal: this.#following.signal });
	}

	/** @param {Taking} taking @param {any} toast */
	#take(taking, toast) {
		if (!this.#toasts) return;
		const ids = toast.id.split(",");
		const shown = () => void this.#quietly(this.#call("POST", "toasts/ack", { ids }));
		void taking.take(toast.id, () => this.#emit("toast", { toast, shown }), shown);
	}

	/** @param {State} state @param {number} [status] of the response; 0: none */
	#follow(state, status) {
		this.#polling.stop();
		if (state === "signed-out") return this.#lost();
		if (state === "reconnecting" && status === 0 && this.#known.now.badge.unread === null) void refused(this.#server);
		if (state === "live") {
			this.#polling.watch();
			// Events may have been missed.
			if (this.#known.now.notices) this.#quietly(this.load());
			if (this.#known.now.announcements) this.#quietly(this.loadAnnouncements());
		}
		this.#known.set({ state });
	}

	/** Changes the rows immediately, and reverts that if the server rejects them. @template {any[]} A @param {string} path @param {object} body @param {(rows: readonly Row[], ...about: A) => readonly Row[]} change @param {A} about */
	async #change(path, body, change, ...about) {
		this.#known.rows(change, ...about);
		try {
			this.#known.count(await this.#call("POST", path, body));
		} catch (err) {
			if (this.#known.now.notices) this.#quietly(this.load());
			throw err;
		}
	}

	/** @param {Promise<unknown>} work */
	async #quietly(work) {
		await work.catch((err) => this.#fail(err));
	}

	/** @param {any} err */
	#fail(err) {
		this.#emit("error", { code: err.code ?? "failed", detail: err.message });
	}

	/** @param {string} name @param {any} detail */
	#emit(name, detail) {
		this.dispatchEvent(new CustomEvent(name, { detail }));
	}
}

/**
 * Connects a page to the notices of its user. On the server's own host it needs no tokens.
 * @param {{server?: string | null, tokenUrl?: string | null, tokenProvider?: (() => Promise<string | null | undefined>) | null}} options
 */
export function connect({ server, tokenUrl, tokenProvider }) {
	const base = baseOf(server);
	const source = tokenProvider || (!tokenUrl && ours(base)) ? "" : addressOf("token-url", tokenUrl ?? "", "/carillon/token", /./).href;
	const provide = tokenProvider ?? (source ? tokenFrom(source) : undefined);
	return new Client({ server: base, provide, source });
}

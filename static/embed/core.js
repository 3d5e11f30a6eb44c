// @ts-check
import { calls } from "./calls.js";
import { follow } from "./follow.js";
import { home, ours } from "./home.js";
import { pollEvery, Polling } from "./polling.js";
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
 * Events for `on`: `notice`, `toast` (`detail.shown()` says that it was shown) and `error`.
 */
export class Client extends EventTarget {
	#known = new Known();
	#following = new AbortController(); // the user
	#polling = new Polling(() => {
		this.#known.set({ state: "polling" });
		return this.#quietly(this.#call("GET", "badge").then((badge) => this.#known.count(badge)));
	});
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
			const { user } = this.#known.now;
			const answer = await call(...about);
			// An answer about a user who has left must not show in the page of the next.
			if (user && user !== this.#known.now.user) throw new Error("another user has signed in");
			return answer;
		};
		void this.#begin();
	}

	/** Calls fn now and after each change. Returns how to stop. @param {(now: Snapshot) => void} fn */
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
	async load({ filter = this.#filter, more = false } = {}) {
		const before = more ? this.#known.now.next : null;
		this.#filter = filter;
		const page = await this.#call("GET", `notices?filter=${filter}${before ? `&before=${before}` : ""}`);
		if (filter !== this.#filter) return; // another page was asked for meanwhile
		this.#known.count(page.badge);
		this.#known.set({ notices: before ? [...(this.#known.now.notices ?? []), ...page.notices] : page.notices, next: page.next });
	}

	async loadAnnouncements() {
		const list = await this.#call("GET", "announcements");
		this.#known.count(list.badge);
		this.#known.set({ announcements: list.announcements });
	}

	/** Opens the inbox: everything is read, and `new` marks what was unread. */
	async open() {
		const page = await this.#call("POST", "open");
		this.#filter = "all";
		this.#known.count(page.badge);
		this.#known.set({ notices: page.notices, next: page.next });
	}

	/** @param {{keys: string[]} | {upto: number | string} | {subject: string}} what */
	read(what) {
		return this.#change("read", what, marked, what, true);
	}

	/** @param {string[]} keys */
	unread(keys) {
		return this.#change("unread", { keys }, marked, { keys }, false);
	}

	/** @param {string[]} keys */
	delete(keys) {
		return this.#change("delete", { keys }, dropped, keys);
	}

	/** Undoes a deletion for 10 minutes. @param {string[]} keys */
	async restore(keys) {
		this.#known.count(await this.#call("POST", "restore", { keys }));
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
		this.#known.count(await this.#call("POST", "announcements/read", what));
		await this.loadAnnouncements();
	}

	/**
	 * Has toasts come to this page: each is a `toast` event in one visible tab of the
	 * browser, whose `detail.shown()` tells the server that it was shown.
	 */
	takeToasts() {
		if (this.#toasts) return;
		this.#toasts = true;
		const { user } = this.#known.now;
		if (user) this.#listen(user);
	}

	/** Ends everything. A client that was closed stays so. */
	close() {
		this.#off.abort();
		this.#polling.stop();
		this.#following.abort();
		this.#known.close();
	}

	/** Closes, and says that nobody is signed in. */
	end() {
		this.#known.become("signed-out", null);
		this.close();
	}

	async #begin() {
		try {
			await this.#tokens.get();
		} catch (err) {
			if (err instanceof SignedOut) return this.#known.set({ state: "signed-out" });
			this.#fail(err);
			setTimeout(() => this.#off.signal.aborted || void this.#begin(), pollEvery);
		}
	}

	/** Begins to follow a user. Nothing of the user before is left. @param {string} user */
	#become(user) {
		if (user === this.#known.now.user || this.#off.signal.aborted) return;
		this.#following.abort();
		this.#known.become("connecting", user);
		this.#listen(user);
	}

	/** Follows the events of a user. @param {string} user */
	#listen(user) {
		this.#following.abort();
		this.#following = new AbortController();
		const taking = new Taking(`${this.#server} ${user}`);
		const reload = () => void (this.#known.now.announcements && this.#quietly(this.loadAnnouncements()));
		const active = (/** @type {boolean} */ visible) => this.#toasts && this.#quietly(this.#call("POST", "active", { visible }));
		follow(`${this.#server}api/v1/me/events?toasts=${Number(this.#toasts)}&zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}`, `${this.#server} ${user}`, this.#tokens, this.#following.signal, {
			state: (state) => this.#follow(state),
			badge: (badge) => {
				this.#polling.stop();
				if (this.#known.now.state === "polling") this.#known.set({ state: "live" });
				this.#known.count(badge);
			},
			notice: (row) => {
				this.#known.add(row, this.#filter);
				this.dispatchEvent(new CustomEvent("notice", { detail: row }));
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
		this.#polling.stop();
		if (state === "live") {
			this.#polling.watch();
			// Events may have been missed.
			if (this.#known.now.notices) this.#quietly(this.load());
			if (this.#known.now.announcements) this.#quietly(this.loadAnnouncements());
		}
		this.#known.set({ state });
	}

	/** Changes the rows at once, and takes that back if the server refuses. @template {any[]} A @param {string} path @param {object} body @param {(rows: readonly Row[], ...about: A) => readonly Row[]} change @param {A} about */
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

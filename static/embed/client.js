// @ts-check
import { Account } from "./account.js";
import { refused } from "./complain.js";
import { follow, isVisible } from "./follow.js";
import { Polling } from "./polling.js";
import { changed, dropped, marked, placeOf } from "./rows.js";
import { Known } from "./snapshot.js";
import { taking } from "./taking.js";

/**
 * @typedef {import("./snapshot.js").State} State
 * @typedef {import("./snapshot.js").Snapshot} Snapshot
 * @typedef {import("./rows.js").Row} Row
 */

/**
 * The notices of one user: a store whose snapshots never change.
 *
 * Events for `on`: `notice`, `toast` (`detail.shown()` reports that it was shown), `error`, and `change`: something about the user's
 * notices has changed, on this page or elsewhere.
 */
export class Client extends EventTarget {
	#known = new Known();
	#following = new AbortController(); // the user
	#polling = new Polling(() => {
		this.#known.set({ state: "polling" });
		return this.#quietly(this.call("GET", "badge").then((badge) => this.#known.count(badge)));
	});
	#closed = false;
	#filter = "all";
	#subject = ""; // what the user looks at
	/** @type {ReturnType<typeof setTimeout> | undefined} */ #soon;
	#toasts = false;
	#server;
	#account;

	/** @param {string} server @param {(onUser: (user: string) => void, signal: AbortSignal) => import("./tokens.js").Tokens} provide */
	constructor(server, provide) {
		super();
		this.#server = server;
		this.#account = new Account(server, this.#known, provide, {
			user: (user) => this.#become(user),
			gone: () => this.#leave(),
			fault: (err) => this.#fail(err),
		});
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

	/** Makes a call of /api/v1/me that has no method here. @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
	call(method, path, body) {
		return this.#account.call(method, path, body);
	}

	/** Loads the first page, or the next one. filter is all, unread, archived or later. @param {{filter?: string, more?: boolean}} [which] */
	async load({ filter = this.#filter, more } = {}) {
		const { next, notices } = this.#known.now;
		const before = more && next;
		this.#show(filter);
		await this.#known.page(this.call("GET", `notices?filter=${filter}${before ? `&before=${before}` : ""}`), (before && notices) || []);
	}

	async loadAnnouncements() {
		const { badge, announcements } = await this.call("GET", "announcements");
		this.#known.count(badge);
		this.#known.set({ announcements });
	}

	/** Opens the inbox: marks everything as read, and what was unread as `new`. */
	async open() {
		this.#show("all");
		await this.#known.page(this.call("POST", "open"));
	}

	/** @param {{keys: string[]} | {upto: number | string} | {subject: string}} what */
	async read(what) {
		await this.#change("read", what, marked, what, true);
		if ("subject" in what && this.#known.now.notices) await this.load();
	}

	/**
	 * The user looks at a thing itself: all notices about it are read, also those that arrive while the page is visible,
	 * until the next call. An empty subject ends it.
	 * @param {string} subject
	 */
	async seen(subject) {
		this.#subject = subject;
		if (subject) this.#known.count(await this.call("POST", "seen", { subject }));
	}

	/** @param {string[]} keys */
	unread(keys) {
		return this.#change("unread", { keys }, marked, { keys }, false);
	}

	/** @param {string[]} keys */
	delete(keys) {
		return this.#change("delete", { keys }, dropped, keys);
	}

	/** Moves notices to the archive. @param {string[]} keys */
	archive(keys) {
		return this.#change("archive", { keys }, dropped, keys);
	}

	/** Moves archived notices back to their places. @param {string[]} keys */
	unarchive(keys) {
		return this.#change("unarchive", { keys }, dropped, keys);
	}

	/** Puts a notice away until a time: RFC 3339, at most 90 days from now. @param {string} key @param {string} until */
	snooze(key, until) {
		return this.#change("snooze", { key, until }, dropped, [key]);
	}

	/** Brings a notice back that was put away. @param {string} key */
	wake(key) {
		return this.#change("wake", { key }, dropped, [key]);
	}

	/** Undoes a deletion, which is possible for 10 minutes, or an archiving or snoozing. @param {string[]} keys */
	async restore(keys) {
		this.#known.count(await this.call("POST", "restore", { keys }));
		await this.load();
	}

	/** Answers a question: the ids of the question and of a choice, with a comment if the choice has one. @param {number} id @param {string} choice @param {string} [comment] */
	async answer(id, choice, comment) {
		await this.call("POST", "answers", { id, choice, comment });
		await this.load();
	}

	/** Returns the signed-in user, with their settings and the types of notices. */
	me() {
		return this.call("GET", "");
	}

	/** Mutes a type of notices, or unmutes it. @param {string} type @param {boolean} muted */
	mute(type, muted) {
		return this.call(muted ? "PUT" : "DELETE", `mutes/${encodeURIComponent(type)}`);
	}

	/** @param {{ids: number[]} | {all: true}} what */
	async readAnnouncements(what) {
		this.#known.count(await this.call("POST", "announcements/read", what));
		await this.loadAnnouncements();
	}

	/**
	 * Directs toasts to this page: each is a `toast` event in one visible tab of the browser, whose `detail.shown()`
	 * reports to the server that it was shown.
	 */
	takeToasts() {
		const { user } = this.#known.now;
		if (!this.#toasts && user) this.#listen(user, true);
		this.#toasts = true;
	}

	/**
	 * Determines again who is signed in, and reloads everything on display: for a sign-in or sign-out without a new
	 * page. It also restarts a client after `end`.
	 */
	async refresh() {
		if (!this.#closed && (await this.#account.again())) await Promise.all([this.load(), this.loadAnnouncements()]);
	}

	/** Ends everything, permanently. */
	close() {
		this.#closed = true;
		this.#stop();
		this.#account.end();
		this.#known.close();
	}

	/** Drops the user immediately; the state becomes signed out. `refresh` starts again. */
	end() {
		this.#account.end();
		this.#leave();
	}

	#stop() {
		this.#polling.stop();
		this.#following.abort();
		clearTimeout(this.#soon);
		this.#soon = undefined;
	}

	#leave() {
		this.#stop();
		this.#known.become("signed-out", null);
	}

	/** Starts following a user. All data of the previous user is dropped. @param {string} user */
	#become(user) {
		if (user === this.#known.now.user) return;
		this.#stop();
		this.#known.become("connecting", user);
		this.#listen(user);
	}

	/** Follows the events of a user. @param {string} user */
	#listen(user, toasts = this.#toasts) {
		this.#following.abort();
		const { signal } = (this.#following = new AbortController());
		const name = `${this.#server} ${user}`;
		const take = taking(name);
		follow(`${this.#server}api/v1/me/events?toasts=${Number(toasts)}&zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}`, name, this.#account.tokens, signal, {
			state: (state, status) => this.#follow(state, status),
			badge: (badge) => {
				this.#polling.stop();
				if (this.#known.now.state === "polling") this.#known.set({ state: "live" });
				this.#known.count(badge);
			},
			notice: (row) => {
				if (!this.#elsewhere()) this.#known.add(row, this.#filter);
				this.#emit("notice", row);
				if (this.#subject && row.key.endsWith(`:${this.#subject}`) && isVisible()) void this.#quietly(this.seen(this.#subject));
			},
			changed: (row) => this.#known.rows(changed, row),
			read: (what) => this.#known.rows(marked, what, true),
			unread: (what) => this.#known.rows(marked, what, false),
			removed: ({ key }) => this.#elsewhere() || this.#known.rows(dropped, [key]),
			toast: (toast) => {
				if (!this.#toasts) return;
				const ids = toast.id.split(",");
				const shown = () => void this.#quietly(this.call("POST", "toasts/ack", { ids }));
				void take(toast.id, () => this.#emit("toast", { toast, shown }), shown);
			},
		}, (event) => {
			if (/^ann/.test(event)) this.#reloadAnnouncements();
			this.#emit("change");
		});
		document.addEventListener("visibilitychange", () => this.#toasts && this.#quietly(this.call("POST", "active", { visible: isVisible() })), { signal });
	}

	/** @param {State} state @param {number} [status] of the response; 0: none */
	#follow(state, status) {
		this.#polling.stop();
		if (state === "signed-out") return this.#account.lost();
		if (state === "reconnecting" && status === 0 && this.#known.now.badge.unread === null) void refused(this.#server);
		if (state === "live") {
			this.#polling.watch();
			// Events may have been missed.
			this.#reload();
			this.#reloadAnnouncements();
		}
		this.#known.set({ state });
	}

	/** Loads the rows on display again. */
	#reload() {
		if (this.#known.now.notices) this.#quietly(this.load());
	}

	/** Loads the announcements on display again. */
	#reloadAnnouncements() {
		if (this.#known.now.announcements) this.#quietly(this.loadAnnouncements());
	}

	/** Rows are on display from now on: those of another place disappear at once. @param {string} filter */
	#show(filter) {
		if (placeOf(filter) !== placeOf(this.#filter)) this.#known.set({ notices: null, next: null });
		this.#filter = filter;
		this.#known.set({ filter });
	}

	/** Reports whether the rows on display are not in the inbox. Then what enters or leaves the inbox may leave or enter them, and they are loaded again. */
	#elsewhere() {
		const elsewhere = placeOf(this.#filter);
		if (elsewhere) this.#soon ??= setTimeout(() => {
			this.#soon = undefined;
			this.#reload();
		}, 200);
		return elsewhere;
	}

	/** Changes the rows immediately, and reverts that if the server rejects them. @template {any[]} A @param {string} path @param {object} body @param {(rows: readonly Row[], ...about: A) => readonly Row[]} change @param {A} about */
	async #change(path, body, change, ...about) {
		this.#known.rows(change, ...about);
		try {
			this.#known.count(await this.call("POST", path, body));
		} catch (err) {
			this.#reload();
			throw err;
		}
	}

	/** @param {Promise<any>} work */
	#quietly(work) {
		return work.catch((err) => this.#fail(err));
	}

	/** @param {any} err */
	#fail(err) {
		this.#emit("error", { code: err.code ?? "failed", detail: err.message });
	}

	/** @param {string} name @param {any} [detail] */
	#emit(name, detail) {
		this.dispatchEvent(new CustomEvent(name, { detail }));
	}
}

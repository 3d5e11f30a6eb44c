// @ts-check
import { newer } from "../js/badge.js";
import { put } from "./rows.js";

/**
 * @typedef {"connecting" | "live" | "reconnecting" | "polling" | "offline" | "signed-out"} State
 * @typedef {import("./rows.js").Row} Row
 * @typedef {{unread: number, inbox: number, announcements: number} | {unread: null, inbox: null, announcements: null}} Counts null: unknown
 * @typedef {{readonly state: State, readonly user: string | null, readonly badge: Counts,
 *   readonly notices: readonly Row[] | null, readonly next: number | null, readonly filter: string, readonly announcements: readonly any[] | null}} Snapshot
 */

const none = { unread: 0, inbox: 0, announcements: 0, ver: 0, aver: 0 };
const unknown = { unread: null, inbox: null, announcements: null };
const nothing = { badge: unknown, notices: null, next: null, filter: "", announcements: null };
const most = 500; // rows that are kept

/** The state of a page's user, as a series of immutable snapshots. */
export class Known {
	/** @type {Snapshot} */ now = Object.freeze({ state: "connecting", user: null, ...nothing });
	/** @type {Set<(now: Snapshot) => void>} */ #subscribers = new Set();
	/** @type {import("../js/badge.js").Badge} */ #badge = none;
	/** @type {((rows: readonly Row[]) => readonly Row[])[]} */ #late = []; // changes since the last page was requested

	/** Calls fn now and after each change. Returns a function that unsubscribes. @param {(now: Snapshot) => void} fn */
	subscribe(fn) {
		this.#subscribers.add(fn);
		fn(this.now);
		return () => void this.#subscribers.delete(fn);
	}

	/** @param {Partial<Snapshot>} part */
	set(part) {
		this.now = Object.freeze({ ...this.now, ...part });
		for (const notify of this.#subscribers) notify(this.now);
	}

	/** Drops everything about the previous user. @param {State} state @param {string | null} user */
	become(state, user) {
		this.#badge = none;
		this.set({ state, user, ...nothing });
	}

	/** @param {import("../js/badge.js").Badge} badge */
	count(badge) {
		this.#badge = newer(this.#badge, badge);
		const { unread, inbox, announcements } = this.#badge;
		const is = this.now.badge;
		if (inbox !== is.inbox || announcements !== is.announcements) this.set({ badge: { unread, inbox, announcements } });
	}

	/**
	 * Changes the rows, if they are loaded, by a function of rows.js.
	 * @template {any[]} About
	 * @param {(rows: readonly Row[], ...about: About) => readonly Row[]} change
	 * @param {About} about
	 */
	rows(change, ...about) {
		const apply = (/** @type {readonly Row[]} */ rows) => change(rows, ...about);
		if (this.#late.length < most) this.#late.push(apply);
		const { notices } = this.now;
		if (notices) this.set({ notices: apply(notices) });
	}

	/**
	 * Shows a page of rows, unless another was requested since. Changes since the request are applied to it, because
	 * the response may be older.
	 * @param {Promise<{notices: Row[], next: number | null, badge: import("../js/badge.js").Badge}>} asked
	 * @param {readonly Row[]} [above] rows that stay above it
	 */
	async page(asked, above = []) {
		const late = (this.#late = /** @type {((rows: readonly Row[]) => readonly Row[])[]} */ ([]));
		const { notices, next, badge } = await asked;
		if (late !== this.#late) return;
		this.count(badge);
		/** @type {readonly Row[]} */ let rows = [...above, ...notices];
		for (const apply of late) rows = apply(rows);
		this.set({ notices: rows, next });
	}

	/**
	 * Adds a row that arrived. The oldest rows of a page that stays open for days are dropped: they can be loaded
	 * again.
	 * @param {any} row
	 * @param {string} filter
	 */
	add(row, filter) {
		this.rows(put, row, filter);
		const rows = /** @type {Row[]} */ (this.now.notices ?? []);
		const last = rows[most - 1];
		if (last && rows[most]) this.set({ notices: rows.slice(0, most), next: last.at });
	}

	/** Stops notifying subscribers. */
	close() {
		this.#subscribers.clear();
	}
}

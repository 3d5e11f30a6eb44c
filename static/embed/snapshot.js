// @ts-check
import { newer } from "../js/badge.js";
import { put } from "./rows.js";

/**
 * @typedef {"connecting" | "live" | "reconnecting" | "polling" | "offline" | "signed-out"} State
 * @typedef {import("./rows.js").Row} Row
 * @typedef {{unread: number, inbox: number, announcements: number} | {unread: null, inbox: null, announcements: null}} Counts null: not known
 * @typedef {{readonly state: State, readonly user: string | null, readonly badge: Counts,
 *   readonly notices: readonly Row[] | null, readonly next: number | null, readonly announcements: readonly any[] | null}} Snapshot
 */

const none = { unread: 0, inbox: 0, announcements: 0, ver: 0, aver: 0 };
const unknown = { unread: null, inbox: null, announcements: null };
const nothing = { badge: unknown, notices: null, next: null, announcements: null };
const most = 500; // rows that are kept

/** What a page knows of its user: one snapshot after another, none of which ever changes. */
export class Known {
	/** @type {Snapshot} */ now = Object.freeze({ state: "connecting", user: null, ...nothing });
	/** @type {Set<(now: Snapshot) => void>} */ #subscribers = new Set();
	/** @type {import("../js/badge.js").Badge} */ #badge = none;

	/** Calls fn now and after each change. Returns how to stop. @param {(now: Snapshot) => void} fn */
	subscribe(fn) {
		this.#subscribers.add(fn);
		fn(this.now);
		return () => void this.#subscribers.delete(fn);
	}

	/** @param {Partial<Snapshot>} part */
	set(part) {
		this.now = Object.freeze({ ...this.now, ...part });
		for (const tell of this.#subscribers) tell(this.now);
	}

	/** Forgets everything about the user before. @param {State} state @param {string | null} user */
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
		if (!this.now.notices) return;
		const notices = change(this.now.notices, ...about);
		if (notices !== this.now.notices) this.set({ notices });
	}

	/**
	 * Adds a row that arrived. The oldest rows of a page that stays open for days leave: they can be
	 * loaded again.
	 * @param {any} row
	 * @param {string} filter
	 */
	add(row, filter) {
		this.rows(put, row, filter);
		const rows = this.now.notices ?? [];
		if (rows.length > most) this.set({ notices: rows.slice(0, most), next: rows[most - 1]?.at ?? null });
	}

	/** Tells nobody any more. */
	close() {
		this.#subscribers.clear();
	}
}

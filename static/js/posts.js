// @ts-check
import { contentOf } from "./rewrite.js";
import { markRead, markUnread, remove } from "./rows.js";
import { text } from "./texts.js";

// The list of announcements that is in the page now.

/** Returns the list, or null on any other page. */
export function list() {
	return document.getElementById("announcements");
}

/**
 * @param {Document} [page]
 * @returns {HTMLElement[]}
 */
export function posts(page = document) {
	return [...page.querySelectorAll("main [data-testid=announcement]")].filter((e) => e instanceof HTMLElement);
}

/** @param {HTMLElement} row */
export function idOf(row) {
	return row.dataset.id ?? "";
}

/** @param {string} id */
export function postOf(id) {
	return posts().find((row) => idOf(row) === id);
}

/**
 * @param {HTMLElement} row
 * @param {boolean} read
 */
export function turn(row, read) {
	(read ? markRead : markUnread)(row);
	row.dataset.read = read ? "1" : "0";
}

/**
 * Removes the row of an announcement that has ended.
 * @param {HTMLElement} row
 */
export function drop(row) {
	remove(row);
	const empty = document.getElementById("announcements-empty");
	if (posts().length > 0 || !(empty instanceof HTMLTemplateElement) || document.querySelector("#pager a")) return;
	document.getElementById("announcement-list")?.replaceWith(empty.content.cloneNode(true));
}

/** The announcements offered to the reader: they arrived or changed since the page was rendered. */
export class News {
	/** @type {Set<string>} */ #arrived = new Set();
	/** @type {Set<string>} */ #changed = new Set();

	/** @param {string} id @returns {boolean} whether it was unknown until now */
	arrive(id) {
		if (this.#arrived.has(id) || postOf(id)) return false;
		this.#arrived.add(id);
		this.offer();
		return true;
	}

	/** @param {string} id */
	change(id) {
		if (!this.#arrived.has(id)) this.#changed.add(id);
		this.offer();
	}

	/** @param {string} id @returns {boolean} whether it was known here */
	go(id) {
		const row = postOf(id);
		const known = this.#arrived.delete(id) || row !== undefined;
		this.#changed.delete(id);
		if (row) drop(row);
		this.offer();
		return known;
	}

	/**
	 * Notes that these rows have just come into the page.
	 * @param {HTMLElement[]} rows
	 */
	seen(rows) {
		for (const id of rows.map(idOf)) {
			this.#arrived.delete(id);
			this.#changed.delete(id);
		}
		this.offer();
	}

	/**
	 * Brings the list to the state that the server reports: read states change, rows of
	 * ended announcements are removed, and new ones are offered.
	 * @param {Map<string, HTMLElement>} open
	 */
	mend(open) {
		for (const row of posts()) {
			const now = open.get(idOf(row));
			if (!now) {
				this.go(idOf(row));
				continue;
			}
			turn(row, now.dataset.read === "1");
			if (contentOf(now) !== contentOf(row)) this.#changed.add(idOf(row));
		}
		this.#arrived = new Set([...open.keys()].filter((id) => !postOf(id)));
		this.offer();
	}

	offer() {
		const button = document.getElementById("news");
		if (!button) return;
		const [arrived, changed] = [this.#arrived.size, this.#changed.size];
		button.hidden = arrived + changed === 0;
		if (arrived > 0) button.textContent = text("announcement_arrivals", { Count: arrived });
		else if (changed > 0) button.textContent = text("announcement_changes", { Count: changed });
	}
}

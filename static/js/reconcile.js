// @ts-check
import { our } from "./mount.js";
import { rewrite } from "./rewrite.js";
import { entryOf, markRead, markUnread, remove, rows, shownVer } from "./rows.js";

/** @typedef {import("./rows.js").Entry} Entry */

/**
 * A page of the inbox as it is now.
 * @typedef {object} Part
 * @property {number} ver of the inbox
 * @property {Entry[]} entries newest first
 * @property {number} before its entries are older than this
 * @property {number} from and not older than this
 */

/**
 * Fetches a part; null when the page no longer belongs to this user.
 * @typedef {(before: number) => Promise<Part | null>} Fetch
 */

const mostParts = 10;

/**
 * Fetches as much of the inbox as the page shows, and everything that arrived since.
 * @param {Fetch} [get]
 * @returns {Promise<Part[] | null>}
 */
export async function look(get = fetchPart) {
	const since = madeAt();
	const parts = [];
	/** @type {Set<string>} */ const seen = new Set();
	for (let before = Infinity; before > 0 && parts.length < mostParts; ) {
		const part = await get(before);
		if (!part) return null;
		parts.push(part);
		for (const { key } of part.entries) seen.add(key);
		// Continue with the new entries, or else with the next row further down the page.
		const rest = rows().map(entryOf).filter(({ key, at }) => at < part.from && !seen.has(key)).map(({ at }) => at);
		before = part.from > since ? part.from : Math.max(-1, ...rest) + 1;
	}
	return parts;
}

/**
 * Brings the rows of the page to their current state. It adds none: it returns the
 * entries that arrived since the page was rendered, key → at.
 * @param {Part[]} parts
 * @returns {Map<string, number>}
 */
export function reconcile(parts) {
	const since = madeAt();
	/** @type {Map<string, Entry>} */ const fresh = new Map();
	for (const part of parts) for (const entry of part.entries) fresh.set(entry.key, entry);
	for (const row of rows()) {
		const { key, at } = entryOf(row);
		const now = fresh.get(key);
		if (now?.at === at) {
			(now.state === "unread" ? markUnread : markRead)(row);
			if (now.row) rewrite(row, now.row);
		}
		// A row that moved to the top stays here until the reader asks for new notices.
		else if (!now && parts.some((part) => part.from <= at && at < part.before)) remove(row);
	}
	/** @type {Map<string, number>} */ const arrived = new Map();
	const unreadOnly = new URLSearchParams(location.search).get("filter") === "unread";
	for (const { key, at, state } of fresh.values()) {
		if (at > since && !(unreadOnly && state === "read")) arrived.set(key, at);
	}
	return arrived;
}

/** Returns the version at which the page was rendered: newer entries arrived since. */
function madeAt() {
	return shownVer() || Math.max(0, ...rows().map((row) => entryOf(row).at));
}

/**
 * Fetches a page of the inbox. The parameter `opened` keeps the server from opening it.
 * @type {Fetch}
 */
async function fetchPart(before) {
	const query = new URLSearchParams({ opened: "0" });
	if (before < Infinity) query.set("before", String(before));
	const answer = await fetch(our(`/inbox?${query}`));
	if (answer.redirected) return null; // signed out
	if (!answer.ok) throw new Error(`status ${answer.status}`);
	const page = new DOMParser().parseFromString(await answer.text(), "text/html");
	// Another user may have signed in in another tab.
	if (page.body.dataset.user !== document.body.dataset.user) return null;
	return partOf(page, before);
}

/**
 * @param {Document} page
 * @param {number} before
 * @returns {Part}
 */
export function partOf(page, before) {
	const entries = rows(page).map((row) => ({ ...entryOf(row), row }));
	// Not the last row: all may be questions that wait for an answer, which stand above the others, however old they are.
	const older = page.querySelector("a[rel=next]")?.getAttribute("href") ?? "";
	return { ver: shownVer(page), entries, before, from: Number(new URL(older, location.href).searchParams.get("before")) };
}

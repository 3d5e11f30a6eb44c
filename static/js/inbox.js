// @ts-check
import { followBadge } from "./badge.js";
import { startCatchUp } from "./catchup.js";
import { entryOf, inInbox, markRead, markUnread, remove, rows, rowsOf, shownVer } from "./rows.js";
import { text } from "./texts.js";

/** @typedef {{at: number, id?: string}} Arrival the version at which a notice arrived, and its id */

/**
 * Keeps an open inbox up to date: new notices are offered by a button, so that
 * nothing moves under the reader; notices read, edited or removed elsewhere change
 * in place. Missed events are caught up.
 * @param {EventTarget} stream
 * @param {import("./clock.js").Clock} [time]
 * @param {import("./reconcile.js").Fetch} [get]
 */
export function startInbox(stream, time, get) {
	/** @type {Map<string, Arrival>} */ const arrived = new Map();

	/** @param {string} name @param {(data: any) => void} handle */
	const on = (name, handle) =>
		stream.addEventListener(name, (e) => {
			const { detail } = /** @type {CustomEvent} */ (e);
			if (inInbox() && detail.ver > shownVer()) handle(detail);
		});

	on("notice", ({ key, id, ver }) => {
		arrived.set(key, { at: ver, id: String(id) });
		showArrivals(arrived);
	});
	on("removed", ({ key }) => {
		arrived.delete(key);
		showArrivals(arrived);
		rowsOf(key).forEach(remove);
	});
	on("read", ({ keys, upto }) => {
		for (const row of rows()) {
			const { key, at } = entryOf(row);
			if (keys ? keys.includes(key) : at <= Number(upto)) markRead(row);
		}
	});
	on("unread", ({ keys }) => {
		for (const key of keys) rowsOf(key).forEach(markUnread);
	});
	followBadge(stream, ({ unread, inbox, announcements }) => {
		showUnread(inbox, unread);
		showLeft(announcements);
	});
	// The requested rows are in the page now.
	document.addEventListener("htmx:afterSettle", () => showArrivals(arrived));
	const look = startCatchUp(stream, (missed) => {
		arrived.clear();
		for (const [key, at] of missed) arrived.set(key, { at });
		showArrivals(arrived);
	}, time, get);
	// Only the server can render the row.
	on("changed", ({ key }) => {
		if (rowsOf(key).length > 0) look();
	});
}

/**
 * Offers the notices that have arrived and are not in the page yet.
 * @param {Map<string, Arrival>} arrived
 */
function showArrivals(arrived) {
	const button = document.getElementById("arrivals");
	if (!button) return;
	for (const row of rows()) {
		const { key, at } = entryOf(row);
		const arrival = arrived.get(key);
		// A restored row has its old position, and is the same notice.
		if (arrival && (at >= arrival.at || row.dataset.id === arrival.id)) arrived.delete(key);
	}
	button.hidden = arrived.size === 0;
	button.textContent = text("arrivals", { Count: arrived.size });
}

/**
 * Updates the heading for the number of unread notices, and Mark all as read for everything unread.
 * @param {number} n
 * @param {number} whole
 */
function showUnread(n, whole) {
	const count = document.getElementById("count");
	const all = document.getElementById("mark-all");
	if (!count || !all) return;
	all.hidden = whole === 0;
	const tally = document.getElementById("unread-count");
	if (tally) [tally.hidden, tally.textContent] = [n === 0, String(n)];
	// The number of new notices stays while the page is open.
	if (n === 0 && count.dataset.unread !== "true") return;
	count.dataset.unread = String(n > 0);
	count.textContent = n > 0 ? text("unread", { Count: n }) : "";
}

/**
 * Sets the text of a list without unread rows: all is read, or announcements are unread.
 * @param {number} announcements
 */
function showLeft(announcements) {
	const later = document.getElementById("when-empty");
	for (const root of [document, ...(later instanceof HTMLTemplateElement ? [later.content] : [])]) {
		for (const p of root.querySelectorAll(".empty [data-when]")) {
			p.toggleAttribute("hidden", (announcements > 0) !== p.matches('[data-when="left"]'));
			const link = p.querySelector("a");
			if (link) link.textContent = text("unread_announcements", { Count: announcements });
		}
	}
}

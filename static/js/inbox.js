// @ts-check
import { followBadge } from "./badge.js";
import { startCatchUp } from "./catchup.js";
import { entryOf, inInbox, markRead, markUnread, remove, rows, rowsOf, shownVer } from "./rows.js";
import { text } from "./texts.js";

/** @typedef {{at: number, id?: string}} Arrival what came for a key, and of which notice */

/**
 * Keeps an open inbox true: what arrives is offered by a button, so that
 * nothing moves under the reader; what was read, edited or removed elsewhere changes
 * in its place. What was missed is caught up.
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
	followBadge(stream, ({ inbox }) => showUnread(inbox));
	document.addEventListener("click", rememberOpening, true);
	// The rows that were asked for are there now.
	document.addEventListener("htmx:afterSettle", () => showArrivals(arrived));
	const look = startCatchUp(stream, (missed) => {
		arrived.clear();
		for (const [key, at] of missed) arrived.set(key, { at });
		showArrivals(arrived);
	}, time, get);
	// The server knows best how a row looks.
	on("changed", ({ key }) => {
		if (rowsOf(key).length > 0) look();
	});
}

/**
 * Offers what has arrived and is not in the page yet.
 * @param {Map<string, Arrival>} arrived
 */
function showArrivals(arrived) {
	const button = document.getElementById("arrivals");
	if (!button) return;
	for (const row of rows()) {
		const { key, at } = entryOf(row);
		const arrival = arrived.get(key);
		// One that was brought back has an old place, and is the same notice.
		if (arrival && (at >= arrival.at || row.dataset.id === arrival.id)) arrived.delete(key);
	}
	button.hidden = arrived.size === 0;
	button.textContent = text("arrivals", { Count: arrived.size });
}

/**
 * The heading and Mark all as read follow the number.
 * @param {number} n
 */
function showUnread(n) {
	const count = document.getElementById("count");
	const all = document.getElementById("mark-all");
	if (!count || !all) return;
	all.hidden = n === 0;
	// How many were new stays while the page is open.
	if (n === 0 && count.dataset.unread !== "true") return;
	count.dataset.unread = String(n > 0);
	count.textContent = n > 0 ? text("unread", { Count: n }) : "";
}

/**
 * Who follows a notice and comes back finds the opening that he left, with its
 * New marks, not another one.
 * @param {Event} e
 */
function rememberOpening(e) {
	const link = e.target instanceof Element && e.target.closest("main .row h3 a");
	const opened = document.getElementById("inbox")?.dataset.opened;
	if (link && opened && document.querySelector("main .row .mark")) history.replaceState(history.state, "", opened);
}

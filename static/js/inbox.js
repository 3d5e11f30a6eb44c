// @ts-check
import { startCatchUp } from "./catchup.js";
import { entryOf, inInbox, markRead, markUnread, remove, rows, rowsOf, shownVer } from "./rows.js";
import { text } from "./texts.js";

/**
 * Keeps an open inbox true: what arrives is offered by a button, so that
 * nothing moves under the reader; what was read or removed elsewhere changes
 * in its place. What was missed is caught up.
 * @param {EventTarget} stream
 */
export function startInbox(stream) {
	/** @type {Map<string, number>} */ const arrived = new Map(); // key → at

	/** @param {string} name @param {(data: any) => void} handle */
	const on = (name, handle) =>
		stream.addEventListener(name, (e) => {
			const { detail } = /** @type {CustomEvent} */ (e);
			if (inInbox() && detail.ver > shownVer()) handle(detail);
		});

	on("notice", ({ key, ver }) => {
		arrived.set(key, ver);
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
	// The rows that were asked for are there now.
	document.addEventListener("htmx:afterSettle", () => showArrivals(arrived));
	startCatchUp(stream, (missed) => {
		arrived.clear();
		for (const [key, at] of missed) arrived.set(key, at);
		showArrivals(arrived);
	});
}

/**
 * Offers what has arrived and is not in the page yet.
 * @param {Map<string, number>} arrived
 */
function showArrivals(arrived) {
	const button = document.getElementById("arrivals");
	if (!button) return;
	for (const { key, at } of rows().map(entryOf)) {
		if (at >= (arrived.get(key) ?? Infinity)) arrived.delete(key);
	}
	button.hidden = arrived.size === 0;
	button.textContent = text("arrivals", { Count: arrived.size });
}

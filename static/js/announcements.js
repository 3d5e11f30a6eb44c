// @ts-check
import { followBadge } from "./badge.js";
import { on as onHTMX } from "./htmx.js";
import { list, News, postOf, posts, turn } from "./posts.js";
import { text } from "./texts.js";

/**
 * Keeps an open list of announcements up to date: new and edited ones are offered
 * by a button, so that nothing moves under the reader; ones read on another page
 * change in place; ones that have ended are removed.
 * @param {EventTarget} stream
 * @param {() => void} missed called when the page must be fetched again
 * @returns {import("./postwatch.js").Part}
 */
export function startAnnouncements(stream, missed) {
	const news = new News();

	/** @param {string} name @param {(detail: any) => void} handle */
	const on = (name, handle) =>
		stream.addEventListener(name, (e) => {
			if (list()) handle(/** @type {CustomEvent} */ (e).detail);
		});

	on("announcement", ({ id, changed, unread }) => {
		if (unread) for (const row of rowsOf([id])) turn(row, false); // the edit marked it unread for all users
		if (changed) news.change(String(id));
		else if (news.arrive(String(id))) count(1); // the badge shows whether it is unread
	});
	on("announcement_removed", ({ id }) => {
		const read = postOf(String(id))?.dataset.read === "1";
		if (!news.go(String(id))) return missed(); // it may be on another page of the list
		count(-1);
		if (read) showCounts(); // otherwise the next badge updates them
	});
	on("announcement_read", ({ ids, all }) => {
		for (const row of all ? posts() : rowsOf(ids)) turn(row, true);
	});
	on("announcement_unread", ({ ids }) => {
		for (const row of rowsOf(ids)) turn(row, false);
	});
	followBadge(stream, ({ announcements }) => showCounts(announcements));
	onHTMX("htmx:load", ({ elt }) => news.seen(posts().filter((row) => elt.contains(row))));

	return {
		here: () => list() !== null,
		mend: (open) => {
			news.mend(open);
			count(open.size - counts().total);
			showCounts([...open.values()].filter((row) => row.dataset.read === "0").length);
		},
	};
}

/** @param {any[]} ids */
function rowsOf(ids) {
	return ids.map((id) => postOf(String(id))).filter((row) => row !== undefined);
}

function shown() {
	return document.getElementById("announcement-count");
}

/** Returns the unread count and the total as the page shows them. */
function counts() {
	const { unread = 0, read = 0, total } = shown()?.dataset ?? {};
	return { unread: Number(unread), total: Number(total ?? Number(unread) + Number(read)) };
}

/**
 * Adds to the total of open announcements. How many of them are unread is still unknown.
 * @param {number} more
 */
function count(more) {
	const line = shown();
	if (line) line.dataset.total = String(counts().total + more);
}

/**
 * Updates the heading and the Mark all as read button.
 * @param {number} [unread] default: the number shown now
 */
function showCounts(unread = counts().unread) {
	const line = shown();
	if (!line) return;
	const read = Math.max(0, counts().total - unread);
	[line.dataset.unread, line.dataset.read] = [String(unread), String(read)];
	line.textContent = unread === 0 ? "" : text("unread", { Count: unread });
	const all = document.getElementById("announcement-read-all");
	if (all) all.hidden = unread === 0;
}

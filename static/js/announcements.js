// @ts-check
import { followBadge } from "./badge.js";
import { on as onHTMX } from "./htmx.js";
import { list, News, postOf, posts, turn } from "./posts.js";
import { text } from "./texts.js";

/**
 * Keeps an open list of announcements true: what comes or changes is offered by
 * a button, so that nothing moves under the reader; what was read on another
 * page turns in its place; what is over goes.
 * @param {EventTarget} stream
 * @param {() => void} missed is told when only the server knows
 * @returns {import("./postwatch.js").Part}
 */
export function startAnnouncements(stream, missed) {
	const news = new News();

	/** @param {string} name @param {(detail: any) => void} handle */
	const on = (name, handle) =>
		stream.addEventListener(name, (e) => {
			if (list()) handle(/** @type {CustomEvent} */ (e).detail);
		});

	on("announcement", ({ id, changed }) => {
		if (changed) news.change(String(id));
		else if (news.arrive(String(id))) count(1); // the badge says whether it is unread
	});
	on("announcement_removed", ({ id }) => {
		const read = postOf(String(id))?.dataset.read === "1";
		if (!news.go(String(id))) return missed(); // it may stand on another page of the list
		count(-1);
		if (read) showCounts(); // else the badge follows
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

/** How many are unread and how many there are, by what the page shows of it. */
function counts() {
	const { unread = 0, read = 0, total } = shown()?.dataset ?? {};
	return { unread: Number(unread), total: Number(total ?? Number(unread) + Number(read)) };
}

/**
 * So many more are open. How many of them are unread is not known yet.
 * @param {number} more
 */
function count(more) {
	const line = shown();
	if (line) line.dataset.total = String(counts().total + more);
}

/**
 * The heading and Mark all as read follow the number.
 * @param {number} [unread] as many as before, unless it is said
 */
function showCounts(unread = counts().unread) {
	const line = shown();
	if (!line) return;
	const read = Math.max(0, counts().total - unread);
	[line.dataset.unread, line.dataset.read] = [String(unread), String(read)];
	line.textContent = unread + read === 0 ? "" : text("announcement_counts", { Unread: unread, Read: read });
	const all = document.getElementById("announcement-read-all");
	if (all) all.hidden = unread === 0;
}

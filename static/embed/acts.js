// @ts-check
import { ask } from "./asking.js";
import { begin } from "./begin.js";
import { icon, make } from "./dom.js";
import { fill, post } from "./filling.js";
import { menu } from "./menu.js";
import { pick } from "./pick.js";
import { say } from "./said.js";
import { take } from "./tasks.js";

/** @typedef {import("./feed.js").Feed} Feed */
/** @typedef {import("./rows.js").Row} Row */
/** @typedef {{text: string, icon?: string, note?: string, click: (button: HTMLElement) => unknown, opens?: boolean}} Deed opens: a menu */

const icons = {
	read: "M20 6 9 17l-5-5",
	unread: "M4 5h16v14H4zm0 2 8 6 8-6",
	archive: "M3 4h18v4H3zm2 4v12h14V8m-9 4h4",
	unarchive: "M3 4h18v4H3zm2 4v12h14V8m-7 9v-5m-3 3 3-3 3 3",
	later: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18m0 4v5l3 2",
	mute: "M10.3 21a2 2 0 0 0 3.4 0M3 3l18 18M6.3 6.3A6 6 0 0 0 6 8c0 7-3 9-3 9h14M8.7 3A6 6 0 0 1 18 8c0 2 .3 4 .8 5.4",
	delete: "M4 6h16M9 6V4h6v2M6 6l1 14h10l1-14",
	more: "M5 12h.01M12 12h.01M19 12h.01",
};

/**
 * Adds to a row what it has beside its text, its question, and what the user can do with it: buttons that appear under the pointer or with the
 * focus, and a menu of everything.
 * @param {Feed} feed @param {HTMLElement} li @param {any} of a notice or an announcement
 */
export function act(feed, li, of) {
	begin(feed);
	if (!of.key) return post(feed, li, of);
	/** @type {Row} */ const row = of;
	if (!feed.el.renderRow) fill(feed, li, row);
	ask(feed, li, row);
	take(feed, li, row);
	if (feed.acts === "none") return;
	const { filter } = feed.client.getSnapshot();
	const deeds = (ofFilter[filter] ?? deedsOf)(feed, row);
	const all = async (/** @type {HTMLElement} */ at) => menu(feed, at, [...deeds, ...(ofFilter[filter] ? [] : await muting(feed, row)), ...(row.until ? [] : [removal(feed, row)])]);
	if (row.until) li.append(make("span", { class: "until", part: "meta" }, feed.el.text("back", { Time: moment(feed.el.language, new Date(row.until)) })));
	li.append(make(
		"span", { class: "actions", part: "actions", "data-actions": feed.acts },
		...(feed.acts === "menu" ? [] : deeds).map((deed) => button(deed, row)),
		button({ text: feed.el.text("more"), icon: icons.more, click: all, opens: true }, row, "do dots"),
	));
}

/**
 * Offers to undo a change once it has succeeded.
 * @param {Feed} feed @param {string} id of its text @param {Promise<unknown>} call @param {() => Promise<unknown>} undo @param {Record<string, string>} [values]
 */
async function did(feed, id, call, undo, values) {
	if (await feed.try(call)) say(feed, feed.el.text(id, values), undo);
}

/** Builds a button with an icon, whose name contains the title of the row. @param {Deed} deed @param {Row} row */
function button({ text, icon: d = "", click, opens }, { title }, name = "do") {
	const menu = opens ? { "aria-haspopup": "menu", "aria-expanded": "false" } : {};
	return make("button", { class: name, part: "action", title: text, "aria-label": `${text}: ${title}`, click: (e) => click(e.currentTarget), ...menu }, icon(d));
}

/** @param {Feed} feed @param {Row} row @returns {Deed[]} */
function deedsOf(feed, row) {
	const { el, client } = feed;
	const keys = [row.key];
	return [
		!row.read || row.new
			? { text: el.text("mark_read"), icon: icons.read, click: () => feed.try(client.read({ keys })) }
			: { text: el.text("mark_unread"), icon: icons.unread, click: () => feed.try(client.unread(keys)) },
		{ text: el.text("later"), icon: icons.later, opens: true, click: (at) => menu(feed, at, presets(feed, row)) },
		{ text: el.text("archive"), icon: icons.archive, click: () => did(feed, "archived", client.archive(keys), () => client.restore(keys)) },
	];
}

/** @param {Feed} feed @param {Row} row @returns {Deed} */
function removal(feed, { key }) {
	const { el, client } = feed;
	return { text: el.text("delete"), icon: icons.delete, click: () => did(feed, "deleted", client.delete([key]), () => client.restore([key])) };
}

/** What can be done with archived notices, and with those that are put away. @type {Record<string, (feed: Feed, row: Row) => Deed[]>} */
const ofFilter = {
	archived: (feed, { key }) => {
		const { el, client } = feed;
		return [{ text: el.text("unarchive"), icon: icons.unarchive, click: () => did(feed, "unarchived", client.unarchive([key]), () => again(client, client.archive([key]))) }];
	},
	later: (feed, { key, until = "" }) => {
		const { el, client } = feed;
		return [{ text: el.text("wake"), icon: icons.unarchive, click: () => did(feed, "woken", client.wake(key), () => again(client, client.snooze(key, until))) }];
	},
};

/** Loads the rows again after a change. @param {import("./core.js").Client} client @param {Promise<unknown>} change */
const again = (client, change) => change.then(() => client.load());

/** @param {string} lang @param {Date} at */
const moment = (lang, at) => new Intl.DateTimeFormat(lang, { weekday: "short", hour: "numeric", minute: "2-digit" }).format(at);

/** Returns when a notice can come back: in three hours, tomorrow or on Monday at nine, in the zone of the browser, or at a time of the user's choice. @param {Feed} feed @param {Row} row @returns {Deed[]} */
function presets(feed, { key }) {
	const { el, client } = feed;
	const snooze = (/** @type {Date} */ until) => did(feed, "put_away", client.snooze(key, until.toISOString()), () => client.restore([key]));
	const morning = (/** @type {number} */ days) => {
		const at = new Date();
		at.setDate(at.getDate() + days);
		at.setHours(9, 0, 0, 0);
		return at;
	};
	const monday = (8 - new Date().getDay()) % 7 || 7;
	const times = /** @type {[string, Date][]} */ ([["in_3h", new Date(Date.now() + 3 * 3_600_000)], ["tomorrow", morning(1)], ...(monday > 1 ? [["monday", morning(monday)]] : [])]);
	return [
		...times.map(([id, until]) => ({ text: el.text(id), icon: icons.later, note: moment(el.language, until), click: () => snooze(until) })),
		{ text: el.text("own_time"), icon: icons.later, click: (at) => pick(feed, at, morning(1), snooze) },
	];
}

const patience = 2_000; // ms for which a menu waits for the name of a type

/** @param {Feed} feed @param {Row} row @returns {Promise<Deed[]>} */
async function muting(feed, { type }) {
	const { el, client } = feed;
	const types = await Promise.race([client.me().then((me) => me.types, () => []), new Promise((done) => setTimeout(done, patience))]);
	const of = types?.find((/** @type {any} */ t) => t.type === type && t.mutable && !t.muted);
	if (!of) return [];
	const values = { Name: of.name };
	const mute = async (/** @type {boolean} */ muted) => {
		await client.mute(type, muted);
		of.muted = muted;
	};
	return [{ text: el.text("mute", values), icon: icons.mute, click: () => did(feed, "muted", mute(true), () => mute(false), values) }];
}

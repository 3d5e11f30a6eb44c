// @ts-check
import { avatar, picture } from "./avatar.js";
import { bodyOf, link, make, titleOf } from "./dom.js";
import { time } from "./time.js";

/** @typedef {import("./feed.js").Feed} Feed */
/** @typedef {import("./rows.js").Row} Row */

/**
 * Builds the row of a notice.
 * @param {Feed} feed
 * @param {Row} row
 * @param {Promise<import("./avatar.js").Look | undefined>} [look] of its type
 */
export function noticeRow(feed, row, look) {
	const { el, client } = feed;
	const keys = [row.key];
	const unread = !row.read || row.new;
	const follow = (/** @type {string} */ link) => (/** @type {Event} */ e) => {
		if (!row.read) client.read({ keys }).catch(() => {});
		feed.follow(e, link, row);
	};
	const li = item(el, row.key, unread);
	if (el.renderRow) li.prepend(el.renderRow(row, li));
	else li.append(
		avatar(row, look), titleOf(row, follow(row.link)), time(row.created_at, el.language),
		bodyOf(row),
		row.image ? picture("image", row.image.url, row.image.alt) : "",
		make("span", { class: "buttons" }, ...(row.actions ?? []).map((of) => link(of.label, of.link, { class: `button ${of.style}`, part: "button" }, follow(of.link)))),
	);
	feed.act(li, row);
	return li;
}

/**
 * Builds the row of an announcement.
 * @param {Feed} feed
 * @param {{id: number, title: string, link: string, read: boolean}} post
 */
export function postRow({ el, client }, post) {
	const li = item(el, `announcement ${post.id}`, !post.read);
	const dismiss = () => client.readAnnouncements({ ids: [post.id] }).catch(() => {});
	li.append(titleOf(post), post.read ? "" : action(el, "dismiss", post, dismiss));
	return li;
}

/**
 * Builds a button for one row, whose name contains the title of the row.
 * @param {import("./element.js").CarillonElement} el @param {string} text @param {{title: string}} row @param {() => void} click
 */
function action(el, text, { title }, click) {
	return el.button(text, click, { "aria-label": `${el.text(text)}: ${title}` });
}

/** @param {import("./element.js").CarillonElement} el @param {string} key @param {boolean} unread */
function item(el, key, unread) {
	return make(
		"li", { part: unread ? "row unread" : "row", "data-key": key, "data-unread": unread },
		unread && make("span", { class: "dot", part: "dot" }, make("span", { class: "sr" }, el.text("unread"))),
	);
}

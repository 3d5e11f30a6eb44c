// @ts-check
import { bodyOf, make, titleOf } from "./dom.js";
import { time } from "./time.js";

/** @typedef {import("./feed.js").Feed} Feed */

/**
 * Builds the row of a notice or an announcement: what can be read at once. The feed adds the rest.
 * @param {Feed} feed
 * @param {any} of
 */
export function rowOf(feed, of) {
	const { el } = feed;
	const unread = !of.read || of.new;
	const li = make(
		"li", { part: unread ? "row unread" : "row", "data-key": of.key ?? `announcement ${of.id}`, "data-unread": unread },
		unread && make("span", { class: "dot", part: "dot" }, make("span", { class: "sr" }, el.text("unread"))),
	);
	if (of.key && el.renderRow) li.prepend(el.renderRow(of, li));
	else li.append(titleOf(of, feed.follow(of, of.link)), time(of.created_at, el.language), of.key ? bodyOf(of) : "");
	feed.act(li, of);
	return li;
}

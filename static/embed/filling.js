// @ts-check
import { avatar, picture } from "./avatar.js";
import { link, make } from "./dom.js";
import { lookOf } from "./looks.js";

/** @typedef {import("./feed.js").Feed} Feed */

/**
 * Adds to a row its actor or the icon of its type, its picture and its buttons.
 * @param {Feed} feed @param {HTMLElement} li @param {any} of a notice or an announcement
 */
export function fill(feed, li, of) {
	const { image, actions } = of;
	li.append(avatar(of, lookOf(feed.client, of.type)));
	if (image) li.append(picture("image", image.url, image.alt));
	if (actions) li.append(make("span", { class: "buttons" }, ...actions.map((/** @type {any} */ is) => link(is.label, is.link, { class: `button ${is.style}`, part: "button" }, feed.follow(of, is.link)))));
}

/**
 * Completes the row of an announcement: as that of a notice, with its text in one line, and a button that dismisses it.
 * @param {Feed} feed @param {HTMLElement} li @param {any} post
 */
export function post(feed, li, post) {
	const { el, client } = feed;
	const text = textOf(post.body).trim();
	if (text) li.append(make("span", { class: "body line", part: "body", dir: "auto" }, text));
	fill(feed, li, post);
	if (post.read) return;
	const dismiss = () => feed.try(client.readAnnouncements({ ids: [post.id] }));
	li.append(make("button", { class: "dismiss", part: "action", title: el.text("dismiss"), "aria-label": `${el.text("dismiss")}: ${post.title}`, click: dismiss }, "✕"));
}

const inline = /^(a|em|strong|code|del)$/;

/** Returns the text of a tree of nodes as one line. @param {any[]} nodes @returns {string} */
const textOf = (nodes) => nodes.map(({ type, text, children }) => text ?? textOf(children ?? []) + (inline.test(type) ? "" : " ")).join("").replace(/\s+/g, " ");

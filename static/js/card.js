// @ts-check
import { avatar } from "./avatar.js";
import { our } from "./mount.js";
import { text } from "./texts.js";
import { ago } from "./times.js";

const minute = 60_000; // ms: a toast that has waited longer says so

/**
 * A toast as the server sends it, or several combined in one line: then `more` is
 * their number and `id` holds all their ids, separated by commas.
 * @typedef {object} Toast
 * @property {string} id begins with the ms at which it was raised
 * @property {string} title
 * @property {string} body
 * @property {string} link
 * @property {number} [notice]
 * @property {string} [key] of its row in the inbox
 * @property {number} [at] of that row
 * @property {number} [more]
 * @property {import("./avatar.js").Look} [look] of its type
 * @property {import("./avatar.js").Look} [face] of its actor, without a picture
 * @property {{image?: string}[]} [actors]
 * @property {{label: string, style: string}[]} [actions]
 */

/** Returns the text of a toast for screen readers. @param {Toast} toast */
export function spoken({ title, body, more }) {
	if (more) return text("toasts_more", { Count: more });
	return body ? `${title}\n${body}` : title;
}

/**
 * Builds the box of a toast. All of its content is inserted as text, never as HTML.
 * @param {Toast} toast
 * @returns {HTMLLIElement}
 */
export function card(toast) {
	const box = document.createElement("li");
	box.className = toast.more ? "toast rest" : "toast";
	if (!toast.more && !toast.notice) box.classList.add("alone"); // it can be read nowhere else
	box.dataset.testid = toast.more ? "toasts-more" : "toast";
	box.dataset.id = toast.id;
	const words = document.createElement("div");
	words.append(heading(toast));
	if (toast.body) words.append(paragraph("toast-body", toast.body));
	if (toast.key && toast.actions) words.append(calls(toast));
	if (!toast.more) box.append(avatar(toast));
	box.append(words, closing(toast.more ? "" : toast.title));
	return box;
}

/** Replaces the text of a box on display. The focus stays where it is. @param {HTMLElement} box @param {Toast} toast */
export function reword(box, toast) {
	const focused = box.contains(document.activeElement) ? document.activeElement?.localName : undefined;
	box.replaceChildren(...card(toast).childNodes);
	const again = focused && box.querySelector(focused);
	if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/** @param {Toast} toast */
function heading(toast) {
	const p = paragraph("toast-title", toast.title);
	const href = address(toast);
	if (toast.more) p.append(count(toast), " ", anchor(our("/inbox"), text("toasts_open")));
	else if (href) p.replaceChildren(anchor(href, toast.title));
	const age = Date.now() - parseInt(toast.id);
	if (!(age >= minute)) return p;
	const time = document.createElement("time");
	time.textContent = ago(age, document.documentElement.lang);
	p.append(time);
	return p;
}

/** @param {Toast} toast */
function count(toast) {
	const words = document.createElement("span");
	words.textContent = spoken(toast);
	return words;
}

/** @param {string} href @param {string} words */
function anchor(href, words) {
	const link = document.createElement("a");
	[link.href, link.textContent] = [href, words];
	return link;
}

/**
 * Returns the address a toast links to: the link of its notice, through a redirect that marks
 * it as read; its row in the inbox when the notice has no link; or else the toast's own link,
 * which leads to the application unless it belongs to an announcement.
 * @param {Toast} toast
 */
function address({ key, at, link, notice }) {
	if (key && link && notice) return our(`/n/${notice}`);
	if (key) return our("/inbox") + (at ? `#e${at}` : "");
	return notice || !link.startsWith("/") ? link : (document.body.dataset.links ?? "") + link;
}

/** @param {string} kind @param {string} words */
function paragraph(kind, words) {
	const p = document.createElement("p");
	[p.className, p.dir, p.textContent] = [kind, "auto", words];
	return p;
}

/** Builds the buttons of a notice. @param {Toast} toast */
function calls({ actions = [], notice }) {
	const p = document.createElement("p");
	p.className = "calls";
	actions.forEach(({ label, style }, i) => {
		const link = anchor(our(`/n/${notice}?a=${i + 1}`), label);
		[link.className, link.dir] = [`button small ${style}`, "auto"];
		p.append(link, " ");
	});
	return p;
}

/** @param {string} title */
function closing(title) {
	const button = document.createElement("button");
	[button.type, button.className, button.textContent] = ["button", "close", "✕"];
	button.setAttribute("aria-label", title ? text("toast_close", { Title: title }) : text("close"));
	return button;
}

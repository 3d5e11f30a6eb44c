// @ts-check
import { ago } from "../js/times.js";
import { make, route } from "./dom.js";

/** @typedef {import("./element.js").CarillonElement} CarillonElement */
/** @typedef {import("./rows.js").Row} Row */

/** The rows in a list. Unchanged rows keep their elements, so nothing flickers. */
export class Listing {
	/** @type {WeakMap<object, HTMLElement>} */ #made = new WeakMap();
	#ul;

	/** @param {HTMLElement} ul */
	constructor(ul) {
		this.#ul = ul;
	}

	get size() {
		return this.#ul.childElementCount;
	}

	/** Drops all elements, so that all rows are built again. */
	forget() {
		this.#made = new WeakMap();
	}

	/**
	 * @param {readonly any[]} rows notices and announcements
	 * @param {(of: any) => HTMLElement} make
	 */
	show(rows, make) {
		const shown = rows.map((of) => {
			const li = this.#made.get(of) ?? make(of);
			this.#made.set(of, li);
			return li;
		});
		const stay = new Set(/** @type {Element[]} */ (shown));
		const focused = /** @type {HTMLElement | undefined} */ ([...this.#ul.children].find((li) => li.contains(/** @type {ShadowRoot} */ (this.#ul.getRootNode()).activeElement)));
		for (const li of [...this.#ul.children]) if (!stay.has(li)) li.remove();
		let at = this.#ul.firstElementChild;
		for (const li of shown) {
			if (li === at) at = at.nextElementSibling;
			else this.#ul.insertBefore(li, at);
		}
		// The row that has the focus was rebuilt.
		if (focused && !focused.isConnected) shown.find((li) => li.dataset.key === focused.dataset.key)?.querySelector(/** @type {"a"} */ ("a, button"))?.focus();
	}
}

/**
 * Builds the row of a notice.
 * @param {CarillonElement} el
 * @param {Row} row
 * @param {() => void} followed is called when the user follows its link
 * @param {...HTMLElement} actions
 */
export function row(el, row, followed, ...actions) {
	const unread = !row.read || row.new;
	const href = row.link && new URL(row.link, document.baseURI).href;
	if (el.renderRow) {
		const li = make("li", { part: unread ? "row unread" : "row", "data-key": row.key, "data-unread": unread });
		li.append(el.renderRow(row, li), ...actions);
		return li;
	}
	return make(
		"li", { part: unread ? "row unread" : "row", "data-key": row.key, "data-unread": unread },
		unread ? dot(el) : null,
		make(href ? "a" : "span", { class: "title", part: "title", dir: "auto", href, click: (e) => href && follow(el, e, row, followed) }, row.title),
		make("time", { part: "meta", datetime: row.created_at }, ago(Date.now() - Date.parse(row.created_at), el.language) ?? new Date(row.created_at).toLocaleDateString(el.language)),
		row.body ? make("span", { class: "body", part: "body", dir: "auto" }, row.body) : null,
		actions.length > 0 ? make("span", { class: "actions", part: "actions" }, ...actions) : null,
	);
}

/**
 * Builds the row of an announcement.
 * @param {CarillonElement} el
 * @param {{id: number, title: string, link: string, read: boolean}} post
 */
export function announcement(el, post) {
	const href = post.link && new URL(post.link, document.baseURI).href;
	const dismiss = () => el.client?.readAnnouncements({ ids: [post.id] }).catch(() => {});
	return make(
		"li", { part: post.read ? "row" : "row unread", "data-key": `announcement ${post.id}`, "data-unread": !post.read }, post.read ? null : dot(el),
		make(href ? "a" : "span", { class: "title", part: "title", dir: "auto", href }, post.title),
		post.read ? null : button(el, "dismiss", post.title, dismiss),
	);
}

/**
 * Builds a button for one row, whose name contains the title of the row.
 * @param {CarillonElement} el @param {string} text @param {string} title @param {() => void} click
 */
export function button(el, text, title, click) {
	return make("button", { type: "button", class: "action", part: "action", "aria-label": `${el.text(text)}: ${title}`, click }, el.text(text));
}

/** @param {CarillonElement} el */
function dot(el) {
	return make("span", { class: "dot", part: "dot" }, make("span", { class: "sr" }, el.text("unread")));
}

/** @param {CarillonElement} el @param {Event} e @param {Row} row @param {() => void} followed */
function follow(el, e, row, followed) {
	if (!row.read) el.client?.read({ keys: [row.key] }).catch(() => {});
	// A router of the page may take over.
	if (!el.emit("navigate", { href: route(row.link), notice: row })) e.preventDefault();
	followed();
}

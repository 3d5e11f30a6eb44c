// @ts-check
import { say } from "./announcer.js";
import { badgeOf, newer } from "./badge.js";
import { text } from "./texts.js";

/** @typedef {import("./badge.js").Badge} Badge */

/**
 * Keeps the bell and the title right, and says aloud what changed.
 * @param {EventTarget} stream
 * @param {(phrase: () => string) => void} [speak]
 */
export function startBell(stream, speak = say) {
	const bell = document.getElementById("bell");
	if (!bell) return;
	let known = badgeOf(bell);
	let started = false; // the first badge is the page's own, or what it missed while it loaded
	let newest = "";

	stream.addEventListener("notice", (e) => {
		newest = /** @type {CustomEvent<{title: string}>} */ (e).detail.title;
	});
	stream.addEventListener("badge", (e) => {
		const before = known.unread;
		known = newer(known, /** @type {CustomEvent<Badge>} */ (e).detail);
		showBadge(known.unread);
		if (started && known.unread !== before) speak(() => phrase(known.unread));
		started = true;
	});
	// What an action of this page has changed is known without the stream.
	document.addEventListener("carillon:badge", (e) => {
		known = newer(known, /** @type {CustomEvent<Badge>} */ (e).detail);
		showBadge(known.unread);
	});

	/** @param {number} n */
	function phrase(n) {
		const unread = n === 0 ? text("unread_none") : text("unread", { Count: n });
		const about = newest;
		newest = "";
		return about && n > 0 ? text("newest", { Unread: unread, Title: about }) : unread;
	}
}

/**
 * Shows a number on the bell and in the title.
 * @param {number} n
 */
export function showBadge(n) {
	const badge = document.getElementById("badge");
	if (badge) {
		badge.hidden = n === 0;
		badge.textContent = n > 99 ? "99+" : String(n);
	}
	document.getElementById("bell")?.setAttribute("aria-label", n === 0 ? text("bell_none") : text("bell", { Count: n }));
	const title = document.title.replace(/^\(\d+\) /, "");
	document.title = n === 0 ? title : `(${n}) ${title}`;
}

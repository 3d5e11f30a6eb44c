// @ts-check
import { say } from "./announcer.js";
import { badgeOf, followBadge } from "./badge.js";
import { text } from "./texts.js";

/**
 * Keeps the bell, the title and the navigation right, and says aloud what
 * changed.
 * @param {EventTarget} stream
 * @param {(phrase: () => string) => void} [speak]
 */
export function startBell(stream, speak = say) {
	const bell = document.getElementById("bell");
	if (!bell) return;
	let shown = badgeOf(bell).unread;
	let started = false; // the first badge is the page's own, or what it missed while it loaded
	let newest = "";

	for (const name of ["notice", "announcement"]) {
		stream.addEventListener(name, (e) => {
			const { title, changed } = /** @type {CustomEvent<{title: string, changed?: boolean}>} */ (e).detail;
			if (!changed) newest = title;
		});
	}
	followBadge(stream, ({ unread, announcements }, streamed) => {
		const before = shown;
		shown = unread;
		showBadge(unread);
		showAnnouncements(announcements);
		// What an action of this page has changed is seen there.
		if (!streamed) return;
		if (started && unread !== before) speak(() => phrase(shown));
		started = true;
	});

	/** @param {number} n */
	function phrase(n) {
		const unread = n === 0 ? text("unread_none") : text("unread", { Count: n });
		const about = newest;
		newest = "";
		return about && n > 0 ? text("newest", { Unread: unread, Title: about }) : unread;
	}
}

/** @param {number} n */
const short = (n) => (n > 99 ? "99+" : String(n));

/**
 * Shows a number on the bell and in the title.
 * @param {number} n
 */
export function showBadge(n) {
	const badge = document.getElementById("badge");
	if (badge) {
		badge.hidden = n === 0;
		badge.textContent = short(n);
	}
	document.getElementById("bell")?.setAttribute("aria-label", n === 0 ? text("bell_none") : text("bell", { Count: n }));
	const title = document.title.replace(/^\(\d+\) /, "");
	document.title = n === 0 ? title : `(${n}) ${title}`;
}

/**
 * Shows in the navigation how many announcements are unread: as a number, and
 * in words for those who listen.
 * @param {number} n
 */
function showAnnouncements(n) {
	const chip = document.getElementById("announcements-count");
	if (!chip) return;
	chip.hidden = n === 0;
	const [number, words] = chip.children;
	if (number) number.textContent = short(n);
	if (words) words.textContent = text("unread", { Count: n });
}

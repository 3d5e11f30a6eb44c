// @ts-check
import { say } from "./announcer.js";
import { badgeOf, followBadge } from "./badge.js";
import { text } from "./texts.js";

const toastComes = 400; // ms after its notice, at most where all is well

/**
 * Keeps the bell, the title and the navigation right, and says aloud what
 * changed. Of a notice that shows as a toast the title has been said.
 * @param {EventTarget} stream
 * @param {(phrase: () => string, wait: number) => void} [speak]
 */
export function startBell(stream, speak = say) {
	const bell = document.getElementById("bell");
	if (!bell) return;
	let shown = badgeOf(bell).unread;
	let started = false; // the first badge is the page's own, or what it missed while it loaded
	let newest = { id: 0, title: "" };
	let toasted = 0; // the notice that was shown last

	for (const name of ["notice", "announcement"]) {
		stream.addEventListener(name, (e) => {
			const { id, title, changed } = /** @type {CustomEvent<{id: number, title: string, changed?: boolean}>} */ (e).detail;
			if (!changed) newest = { id: Number(id), title };
		});
	}
	document.addEventListener("carillon:toast", (e) => (toasted = /** @type {CustomEvent} */ (e).detail));
	followBadge(stream, ({ unread, announcements }, streamed) => {
		const before = shown;
		shown = unread;
		showBadge(unread);
		showAnnouncements(announcements);
		// What an action of this page has changed is seen there.
		if (!streamed) return;
		if (started && unread !== before) speak(() => phrase(shown), toastComes);
		started = true;
	});

	/** @param {number} n */
	function phrase(n) {
		const unread = n === 0 ? text("unread_none") : text("unread", { Count: n });
		const about = newest.id === toasted ? "" : newest.title;
		newest = { id: 0, title: "" };
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

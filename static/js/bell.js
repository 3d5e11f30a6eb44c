// @ts-check
import { say } from "./announcer.js";
import { badgeOf, followBadge } from "./badge.js";
import { move } from "./motion.js";
import { text } from "./texts.js";

const toastComes = 400; // ms: normally a toast follows its notice within this time

/**
 * Keeps the bell, the title and the navigation up to date, and announces changes.
 * The title of a notice shown as a toast is left out: the toast announces it.
 * @param {EventTarget} stream
 * @param {(phrase: () => string, wait: number) => void} [speak]
 */
export function startBell(stream, speak = say) {
	const bell = document.getElementById("bell");
	if (!bell) return;
	let shown = badgeOf(bell).unread;
	let started = false; // the first badge is the page's own, or catches up with changes made while it loaded
	let newest = { id: 0, title: "" };
	let toasted = 0; // id of the last notice shown as a toast

	for (const name of ["notice", "announcement"]) {
		stream.addEventListener(name, (e) => {
			const { id, title, changed, unread } = /** @type {CustomEvent<{id: number, title: string, changed?: boolean, unread?: boolean}>} */ (e).detail;
			if (!changed || unread) newest = { id: Number(id), title };
		});
	}
	document.addEventListener("carillon:toast", (e) => (toasted = /** @type {CustomEvent} */ (e).detail));
	followBadge(stream, ({ unread, announcements }, streamed) => {
		const before = shown;
		shown = unread;
		showBadge(unread, announcements);
		if (unread > before) move(document.getElementById("badge"), { scale: [1, 1.3, 1] });
		showAnnouncements(announcements);
		// The user sees the results of their own actions.
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
 * Returns the accessible name of the bell: the total, and how many are announcements.
 * @param {number} n
 * @param {number} announcements
 */
function bellName(n, announcements) {
	if (n === 0) return text("bell_none");
	if (announcements === 0) return text("bell", { Count: n });
	if (announcements === n) return text("bell_only", { Count: n });
	return text("bell_with", { Unread: n, Count: announcements });
}

/**
 * Shows a number on the bell, in the title and on the icon of the application, and a dot on the icon of the tab.
 * @param {number} n
 * @param {number} [announcements] how many of n are announcements
 */
export function showBadge(n, announcements = 0) {
	const badge = document.getElementById("badge");
	if (badge) {
		badge.hidden = n === 0;
		badge.textContent = short(n);
	}
	document.getElementById("bell")?.setAttribute("aria-label", bellName(n, announcements));
	const title = document.title.replace(/^\(\d+\) /, "");
	document.title = n === 0 ? title : `(${n}) ${title}`;
	const icon = document.querySelector("link[rel=icon]");
	icon?.setAttribute("href", (icon.getAttribute("href") ?? "").replace(/bell[-dot]*(?=\.)/, n === 0 ? "bell" : "bell-dot"));
	navigator.setAppBadge?.(n)?.catch(() => {}); // 0 removes it; a browser may refuse
}

/**
 * Shows in the navigation how many announcements are unread: as a number, and in
 * words for screen readers.
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

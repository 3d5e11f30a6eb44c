// @ts-check

/** @typedef {{unread: number, inbox: number, announcements: number, ver: number, aver: number}} Badge */

/**
 * Merges two badges. Each half comes from the badge in which its version is newer:
 * badges arrive by two routes, and may be late by one of them.
 * @param {Badge} known
 * @param {Badge} now
 * @returns {Badge}
 */
export function newer(known, now) {
	const { inbox, ver } = now.ver >= known.ver ? now : known;
	const { announcements, aver } = now.aver >= known.aver ? now : known;
	return { unread: inbox + announcements, inbox, announcements, ver, aver };
}

/**
 * Returns the badge that the page was rendered with.
 * @param {HTMLElement} bell
 * @returns {Badge}
 */
export function badgeOf(bell) {
	const [inbox = 0, announcements = 0, ver = 0, aver = 0] = ["inbox", "announcements", "ver", "aver"].map((name) => Number(bell.dataset[name] ?? 0));
	return { unread: inbox + announcements, inbox, announcements, ver, aver };
}

/**
 * Follows the badge by both of its routes: the stream, and the answer to an action of this page, which may contain
 * only one half.
 * @param {EventTarget} stream
 * @param {(badge: Badge, streamed: boolean) => void} handle
 */
export function followBadge(stream, handle) {
	const bell = document.getElementById("bell");
	let known = bell ? badgeOf(bell) : { unread: 0, inbox: 0, announcements: 0, ver: 0, aver: 0 };
	for (const [target, name] of /** @type {[EventTarget, string][]} */ ([[stream, "badge"], [document, "carillon:badge"]])) {
		target.addEventListener(name, (e) => {
			known = newer(known, /** @type {CustomEvent<Badge>} */ (e).detail);
			handle(known, target === stream);
		});
	}
}

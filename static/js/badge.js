// @ts-check

/** @typedef {{unread: number, inbox: number, announcements: number, ver: number, aver: number}} Badge */

/**
 * The newer of two badges. Each half counts by its own version: what comes by
 * two ways may come late by one of them.
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
 * The badge that the page came with.
 * @param {HTMLElement} bell
 * @returns {Badge}
 */
export function badgeOf(bell) {
	const [inbox = 0, announcements = 0, ver = 0, aver = 0] = ["inbox", "announcements", "ver", "aver"].map((name) => Number(bell.dataset[name] ?? 0));
	return { unread: inbox + announcements, inbox, announcements, ver, aver };
}

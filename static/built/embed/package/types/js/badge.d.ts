export type Badge = {
    unread: number;
    inbox: number;
    announcements: number;
    ver: number;
    aver: number;
};
/** @typedef {{unread: number, inbox: number, announcements: number, ver: number, aver: number}} Badge */
/**
 * Merges two badges. Each half comes from the badge in which its version is newer:
 * badges arrive by two routes, and may be late by one of them.
 * @param {Badge} known
 * @param {Badge} now
 * @returns {Badge}
 */
export declare function newer(known: Badge, now: Badge): Badge;
/**
 * Returns the badge that the page was rendered with.
 * @param {HTMLElement} bell
 * @returns {Badge}
 */
export declare function badgeOf(bell: HTMLElement): Badge;
/**
 * Follows the badge by both of its routes: the stream, and the answer to an action of this page, which may contain
 * only one half.
 * @param {EventTarget} stream
 * @param {(badge: Badge, streamed: boolean) => void} handle
 */
export declare function followBadge(stream: EventTarget, handle: (badge: Badge, streamed: boolean) => void): void;

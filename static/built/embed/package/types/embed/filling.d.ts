export type Feed = import("./feed.js").Feed;
/** @typedef {import("./feed.js").Feed} Feed */
/**
 * Adds to a row its actor or the icon of its type, its picture and its buttons.
 * @param {Feed} feed @param {HTMLElement} li @param {any} of a notice or an announcement
 */
export declare function fill(feed: Feed, li: HTMLElement, of: any): void;
/**
 * Completes the row of an announcement: as that of a notice, with its text in one line, and a button that dismisses it.
 * @param {Feed} feed @param {HTMLElement} li @param {any} post
 */
export declare function post(feed: Feed, li: HTMLElement, post: any): void;

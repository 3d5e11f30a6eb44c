export type Feed = import("./feed.js").Feed;
export type Row = import("./rows.js").Row;
/** @typedef {import("./feed.js").Feed} Feed */
/** @typedef {import("./rows.js").Row} Row */
/**
 * Builds the row of a notice.
 * @param {Feed} feed
 * @param {Row} row
 * @param {Promise<import("./avatar.js").Look | undefined>} [look] of its type
 */
export declare function noticeRow(feed: Feed, row: Row, look?: Promise<import("./avatar.js").Look | undefined>): HTMLElement;
/**
 * Builds the row of an announcement.
 * @param {Feed} feed
 * @param {{id: number, title: string, link: string, read: boolean}} post
 */
export declare function postRow({ el, client }: Feed, post: {
    id: number;
    title: string;
    link: string;
    read: boolean;
}): HTMLElement;

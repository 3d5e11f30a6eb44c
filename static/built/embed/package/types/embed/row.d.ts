export type Feed = import("./feed.js").Feed;
/** @typedef {import("./feed.js").Feed} Feed */
/**
 * Builds the row of a notice or an announcement: what can be read at once. The feed adds the rest.
 * @param {Feed} feed
 * @param {any} of
 */
export declare function rowOf(feed: Feed, of: any): HTMLElement;

export type Feed = import("./feed.js").Feed;
export type Row = import("./rows.js").Row;
/**
 * Adds to a row its task: who has it, and buttons to take it, to report it as done and to give it back.
 * @param {Feed} feed @param {HTMLElement} li @param {Row} row
 */
export declare function take(feed: Feed, li: HTMLElement, row: Row): void;

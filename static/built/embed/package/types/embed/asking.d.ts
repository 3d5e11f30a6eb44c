export type Feed = import("./feed.js").Feed;
export type Row = import("./rows.js").Row;
export type Ask = import("./rows.js").Ask;
/**
 * Adds to a row its question: the choices as buttons and a field for a comment, or what became of it.
 * @param {Feed} feed @param {HTMLElement} li @param {Row} row
 */
export declare function ask(feed: Feed, li: HTMLElement, row: Row): void;

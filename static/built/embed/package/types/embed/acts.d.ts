export type Feed = import("./feed.js").Feed;
export type Row = import("./rows.js").Row;
export type Deed = {
    text: string;
    icon?: string;
    note?: string;
    click: (button: HTMLElement) => unknown;
    opens?: boolean;
};
/**
 * Adds to a row its question, and what the user can do with it: buttons that appear under the pointer or with the focus, and a menu of everything.
 * @param {Feed} feed @param {HTMLElement} li @param {Row} row
 */
export declare function act(feed: Feed, li: HTMLElement, row: Row): void;

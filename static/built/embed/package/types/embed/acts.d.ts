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
 * Adds to a row what it has beside its text, its question, and what the user can do with it: buttons that appear under the pointer or with the
 * focus, and a menu of everything.
 * @param {Feed} feed @param {HTMLElement} li @param {any} of a notice or an announcement
 */
export declare function act(feed: Feed, li: HTMLElement, of: any): void;

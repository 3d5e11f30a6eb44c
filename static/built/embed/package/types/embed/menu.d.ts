export type Deed = import("./acts.js").Deed;
/** @typedef {import("./acts.js").Deed} Deed */
/**
 * Opens a menu below a button of a row, or above it where there is no room. Escape closes it, and the focus returns to the row.
 * @param {import("./feed.js").Feed} feed @param {HTMLElement} clicked @param {Deed[]} deeds
 */
export declare function menu(feed: import("./feed.js").Feed, clicked: HTMLElement, deeds: Deed[]): void;

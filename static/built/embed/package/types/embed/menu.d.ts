export type Deed = import("./acts.js").Deed;
/** @typedef {import("./acts.js").Deed} Deed */
/**
 * Opens a menu at a button of a row.
 * @param {import("./feed.js").Feed} feed @param {HTMLElement} clicked @param {Deed[]} deeds
 */
export declare function menu(feed: import("./feed.js").Feed, clicked: HTMLElement, deeds: Deed[]): void;
/**
 * Opens something below a button of a row, or above it where there is no room. Escape closes it, and the focus returns to the row.
 * @param {import("./feed.js").Feed} feed @param {HTMLElement} clicked @param {"menu" | "dialog"} role
 * @param {(close: () => HTMLElement) => HTMLElement[]} fill returns its items; close returns the button, at which something else may open
 */
export declare function sheet(feed: import("./feed.js").Feed, clicked: HTMLElement, role: "menu" | "dialog", fill: (close: () => HTMLElement) => HTMLElement[]): void;

/**
 * Lets the user choose a time to come, at a button of a row.
 * @param {import("./feed.js").Feed} feed @param {HTMLElement} clicked @param {Date} first the time at first @param {(at: Date) => unknown} chosen
 */
export declare function pick(feed: import("./feed.js").Feed, clicked: HTMLElement, first: Date, chosen: (at: Date) => unknown): void;

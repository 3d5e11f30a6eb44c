/**
 * Shows what has happened, and a button that undoes it.
 * @param {import("./feed.js").Feed} feed @param {string} text @param {() => Promise<unknown>} [undo]
 */
export declare function say(feed: import("./feed.js").Feed, text: string, undo?: () => Promise<unknown>): void;

/** Lets an element speak, and updates the times of its rows each minute, with one timer for all elements. @param {import("./feed.js").Feed} feed */
export declare function begin({ el, list }: import("./feed.js").Feed): void;

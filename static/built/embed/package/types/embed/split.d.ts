export type CarillonElement = import("./element.js").CarillonElement;
export type Feed = import("./feed.js").Feed;
/**
 * Shows in the panel of a bell the tabs of all rows and of the unread ones. These are loaded on their own, because they may be older than
 * those that the bell has.
 * @param {CarillonElement} el @param {Feed} feed @param {HTMLElement} panel @param {number | null} unread @param {new () => import("./snapshot.js").Known} Known @param {() => void} draw
 */
export declare function split(el: CarillonElement, feed: Feed, panel: HTMLElement, unread: number | null, Known: new () => import("./snapshot.js").Known, draw: () => void): void;
/** Shows in the tab unread how much is unread. @param {CarillonElement} el @param {HTMLElement[]} tabs @param {number | null} unread */
export declare function tally(el: CarillonElement, tabs: HTMLElement[], unread: number | null): void;

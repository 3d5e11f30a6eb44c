/**
 * Shows rows in a list. Unchanged rows keep their elements, so nothing flickers.
 * @param {HTMLElement} ul
 * @param {WeakMap<object, HTMLElement>} made the elements of rows
 * @param {readonly any[]} rows notices and announcements
 * @param {(of: any) => HTMLElement} make
 */
export declare function list(ul: HTMLElement, made: WeakMap<object, HTMLElement>, rows: readonly any[], make: (of: any) => HTMLElement): void;

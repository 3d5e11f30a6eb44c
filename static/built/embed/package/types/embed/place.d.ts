/**
 * Places what a button opens below it, or above it where there is more room.
 * @param {HTMLElement} box in the top layer
 * @param {Element} button
 * @param {string} [placement] bottom-end, bottom-start, top-end or top-start
 */
export declare function place(box: HTMLElement, button: Element, placement?: string): void;

/** Creates a place from which an element can speak. @param {import("./element.js").CarillonElement} el */
export declare function voice(el: import("./element.js").CarillonElement): HTMLElement;
/**
 * Speaks a phrase: at most one in 5 seconds, for all elements of the page. Of several waiting phrases the last is
 * spoken, and a toast rather than a number.
 * @param {string} phrase
 * @param {boolean} [toast]
 */
export declare function speak(phrase: string, toast?: boolean): void;
/** Drops waiting and spoken phrases: they were for a user who has left. */
export declare function hush(): void;

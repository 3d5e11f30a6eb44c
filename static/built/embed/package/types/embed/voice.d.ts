export type CarillonElement = import("./element.js").CarillonElement;
/** Gives an element a place from which it can speak, unless it has one. @param {CarillonElement} el */
export declare function voice(el: CarillonElement): void;
/**
 * Speaks a phrase: at most one in 5 seconds, for all elements of the page. Of several waiting phrases the last is
 * spoken, and a toast rather than a number.
 * @param {CarillonElement} el
 * @param {string} phrase
 * @param {boolean} [toast]
 */
export declare function speak(el: CarillonElement, phrase: string, toast?: boolean): void;
/** Drops waiting and spoken phrases: they were for a user who has left. */
export declare function hush(): void;

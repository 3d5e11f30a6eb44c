/**
 * Puts a number before the title, or removes it.
 * @param {object} element
 * @param {string | null} number null: the element shows none any more
 */
export declare function entitle(element: object, number: string | null): void;

/**
 * Puts a dot on the icon of the page while something is unread, and the number on that of an installed application.
 * @param {object} element @param {number | null} count null: the element shows none any more
 */
export declare function dot(element: object, count: number | null): void;

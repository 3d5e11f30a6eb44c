/** Where this script comes from. */
export declare const home: string;
/**
 * Returns the base URL for a text: it ends with a slash, and has no query. A path is on the host of the page, and a
 * blank text stands for the server of this script.
 * @param {string | null | undefined} text
 * @throws {TypeError} if the host is ambiguous: a token could go to the wrong one
 */
export declare function baseOf(text: string | null | undefined): string;
/**
 * Resolves an address as the page would.
 * @param {string} name of the attribute
 * @param {string} text
 * @param {string} example a correct value
 * @param {RegExp} [form] its required form
 * @throws {TypeError} if it is neither http nor https, or has a password
 */
export declare function addressOf(name: string, text: string, example: string, form?: RegExp): URL;
/** Reports whether a page needs no tokens, because the server is on the page's own host. @param {string} server */
export declare const ours: (server: string) => boolean;

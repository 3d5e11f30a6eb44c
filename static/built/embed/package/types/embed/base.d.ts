/** Where this script comes from. */
export declare const home: string;
/**
 * Returns the base URL that a text means: it ends with a slash, and has no query. A path is on the host of the page, and
 * a blank text means the server of this script.
 * @param {string | null | undefined} text
 * @throws {TypeError} if it could mean several hosts: a token would go to one that was not meant
 */
export declare function baseOf(text: string | null | undefined): string;
/**
 * Resolves an address as the page would.
 * @param {string} name of the attribute
 * @param {string} text
 * @param {string} example what would be right
 * @param {RegExp} [form] what it must look like
 * @throws {TypeError} if it is neither http nor https, or has a password
 */
export declare function addressOf(name: string, text: string, example: string, form?: RegExp): URL;
/** Reports whether a page needs no tokens, as the server is on its own host. @param {string} server */
export declare const ours: (server: string) => boolean;

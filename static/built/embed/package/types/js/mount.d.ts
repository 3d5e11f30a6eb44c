/**
 * Returns the address of a path of this server, whose public URL may contain a path.
 * @param {string} path
 */
export declare const our: (path: string) => string;

/**
 * Returns the address of a path of ours: the public URL of the server may have a path of its own.
 * @param {string} path
 */
export declare const our: (path: string) => string;

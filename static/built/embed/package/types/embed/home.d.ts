/** Where this script comes from. */
export declare const home: string;
/** Reports whether a page needs no tokens, as the server is on its own host. @param {string} server */
export declare const ours: (server: string) => boolean;

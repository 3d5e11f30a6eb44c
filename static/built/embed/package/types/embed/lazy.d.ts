export type More = typeof import("./more.js");
/** Whether it is there, or could not be loaded. */
export declare let tried: boolean;
/** Loads what no first drawing needs. Without it, the number, rows and links work, and opening the inbox reads it. */
export declare const lazy: () => Promise<void>;
/** Uses it now, or once it is there. @param {(more: More) => unknown} use */
export declare const later: (use: (more: More) => unknown) => undefined;
/** Uses it only if it is there. @param {(more: More) => unknown} use */
export declare const loaded: (use: (more: More) => unknown) => unknown;

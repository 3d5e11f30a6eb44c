/** Writes a fault for developers to the console, once. @param {string} text */
export declare function complain(text: string): void;
/**
 * Finds out why calls to a server of another origin fail without a response, because browsers hide the reason. It
 * writes it to the console, and reports whether the server rejects the pages of this origin.
 * @param {string} server
 */
export declare function refused(server: string): Promise<boolean | undefined>;
/** Returns the setting that allows pages of this origin. @param {string} server */
export declare const cure: (server: string) => string;

/** Writes something that a developer must mend to the console, once. @param {string} text */
export declare function complain(text: string): void;
/**
 * Finds out why calls to a server of another origin fail without an answer, as browsers keep the reason back. It
 * says so in the console, and reports whether the server refuses the pages of this origin.
 * @param {string} server
 */
export declare function refused(server: string): Promise<boolean>;
/** Returns what lets pages of this origin in. @param {string} server */
export declare const cure: (server: string) => string;

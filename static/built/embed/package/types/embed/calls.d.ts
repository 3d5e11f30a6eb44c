/**
 * Returns a function that makes the calls of a user. It replaces a rejected token once.
 * @param {string} server
 * @param {import("./tokens.js").Tokens} tokens
 * @param {AbortSignal} signal
 * @returns {(method: string, path: string, body?: object) => Promise<any>}
 */
export declare function calls(server: string, tokens: import("./tokens.js").Tokens, signal: AbortSignal): (method: string, path: string, body?: object) => Promise<any>;

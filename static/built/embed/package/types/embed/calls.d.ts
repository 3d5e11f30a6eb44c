/**
 * Returns how to make the calls of a user. A refused token is asked for once more.
 * @param {string} server
 * @param {import("./tokens.js").Tokens} tokens
 * @param {AbortSignal} signal
 * @returns {(method: string, path: string, body?: object) => Promise<any>}
 */
export declare function calls(server: string, tokens: import("./tokens.js").Tokens, signal: AbortSignal): (method: string, path: string, body?: object) => Promise<any>;

/**
 * Follows the events of a user, with one stream for all tabs of the browser, until
 * signal is aborted.
 * @param {string} url of the stream
 * @param {string} name of the user's notices: tabs with another name receive no events
 * @param {import("./tokens.js").Tokens} tokens
 * @param {AbortSignal} signal
 * @param {Record<string, (detail: any, status?: number) => void>} handlers by the name of the event
 * @param {(event: string) => void} heard is called after each event
 */
export declare function follow(url: string, name: string, tokens: import("./tokens.js").Tokens, signal: AbortSignal, handlers: Record<string, (detail: any, status?: number) => void>, heard: (event: string) => void): void;
export declare const isVisible: () => boolean;

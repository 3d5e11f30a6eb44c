/** No user is signed in to the host application. With a message, its response was malformed, so the request is repeated. */
export declare class SignedOut extends Error {
}
/**
 * Provides the token of the user, in memory only. It is requested on use, once for all waiting calls. The other tabs
 * of the page's origin adopt each new token, so that only the tab with the stream renews it; a page that has just
 * loaded requests its own, because another user may have signed in.
 */
export declare class Tokens {
    #private;
    /**
     * @param {(signal: AbortSignal) => Promise<string | null | undefined>} provide
     * @param {(user: string) => void} onUser is called with the user of each new token
     * @param {string} [name] of the source of tokens; tabs with the same one share them
     * @param {AbortSignal} [signal] ends the sharing
     */
    constructor(provide: (signal: AbortSignal) => Promise<string | null | undefined>, onUser: (user: string) => void, name?: string, signal?: AbortSignal);
    /** @param {boolean} [again] the server has rejected the last one @returns {Promise<string>} */
    get(again?: boolean): Promise<string>;
    /** Requests a token even if one is being requested: another user may have signed in since. Only the last request counts. */
    anew(): Promise<string>;
    /** Returns a token for a new stream. Without tokens it requests the user again: another one may have signed in. @param {boolean} refused */
    fresh(refused: boolean): Promise<string>;
    /** The ms until a random moment in the last half of the token's life, so that renewals are spread; NaN without a token. */
    get left(): number;
    /** Returns a token, and its user if the token does not name them. @param {AbortSignal} signal @returns {Promise<[string, any?]>} */
    find(signal: AbortSignal): Promise<[string, any?]>;
}
/**
 * Replaces tokens on pages of Carillon's own host, where the session identifies the user, or the proxy that has
 * signed the user in. The server returns the user.
 */
export declare class Session extends Tokens {
    #private;
    /** @param {string} server @param {(user: string) => void} onUser */
    constructor(server: string, onUser: (user: string) => void);
    /** @param {AbortSignal} signal @returns {Promise<[string, any?]>} */
    find(signal: AbortSignal): Promise<[string, any?]>;
}
/** Returns the headers that identify the user. @param {string} token @returns {Record<string, string>} */
export declare function headersOf(token: string): Record<string, string>;
/**
 * Requests a token from the host application: 401 means that no user is signed in.
 * @param {string} url
 */
export declare function tokenFrom(url: string): (/** @type {AbortSignal} */ signal: AbortSignal) => Promise<any>;

/** Nobody is signed in to the host application. A message says that it should answer in another way, so it is asked again. */
export declare class SignedOut extends Error {
}
/**
 * Provides the token of the user, in memory only. It is asked for when it is used, and once
 * however many calls wait for it. The other tabs of the page's origin take each new token over,
 * so that only the tab with the stream renews it; a page that has just loaded asks for its own,
 * because another user may have signed in.
 */
export declare class Tokens {
    #private;
    /**
     * @param {(signal: AbortSignal) => Promise<string | null | undefined>} provide
     * @param {(user: string) => void} told is called with the user of each new token
     * @param {string} [name] of the source of tokens; tabs with the same one share them
     * @param {AbortSignal} [signal] ends the sharing
     */
    constructor(provide: (signal: AbortSignal) => Promise<string | null | undefined>, told: (user: string) => void, name?: string, signal?: AbortSignal);
    /** @param {boolean} [again] the server has refused the last one */
    get(again?: boolean): Promise<string>;
    /** Returns a token for a new stream. @param {boolean} refused */
    fresh(refused: boolean): Promise<string>;
    /** The ms until a random moment in the last half of the token's life, so that renewals are spread; NaN without a token. */
    get left(): number;
}
/**
 * Stands for tokens on pages of Carillon's own host: the session counts there, or the proxy that has
 * signed the user in. The server says who that is.
 */
export declare class Session extends Tokens {
    #private;
    /** @param {string} server @param {(user: string) => void} told */
    constructor(server: string, told: (user: string) => void);
    get(again?: boolean): Promise<string>;
    /** Asks again: somebody else may have signed in. */
    fresh(): Promise<string>;
}
/** Returns the headers that say who is asking. @param {string} token @returns {Record<string, string>} */
export declare function headersOf(token: string): Record<string, string>;
/**
 * Asks the host application: 401 means that nobody is signed in.
 * @param {string} url
 */
export declare function tokenFrom(url: string): (/** @type {AbortSignal} */ signal: AbortSignal) => Promise<any>;

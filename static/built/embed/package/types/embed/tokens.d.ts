/** Nobody is signed in to the host application. */
export declare class SignedOut extends Error {
}
/**
 * Provides the token of the user, in memory only. It is asked for when it is used, not
 * by a timer, and once however many calls wait for it.
 */
export declare class Tokens {
    #private;
    /**
     * @param {() => Promise<string | null | undefined>} provide
     * @param {(user: string) => void} told is called with the user of each new token
     */
    constructor(provide: () => Promise<string | null | undefined>, told: (user: string) => void);
    /** @param {boolean} [again] the server has refused the last one */
    get(again?: boolean): Promise<string>;
}
/**
 * Asks the host application: 401 means that nobody is signed in.
 * @param {string} url
 */
export declare function tokenFrom(url: string): () => Promise<any>;

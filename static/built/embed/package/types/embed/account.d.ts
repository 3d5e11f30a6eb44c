export type Tokens = import("./tokens.js").Tokens;
/** The user who is signed in, and their calls. */
export declare class Account {
    #private;
    /** @type {Tokens} */ tokens: Tokens;
    /**
     * @param {string} server
     * @param {import("./snapshot.js").Known} known
     * @param {(onUser: (user: string) => void, signal: AbortSignal) => Tokens} provide
     * @param {{user: (user: string) => void, gone: () => void, fault: (err: any) => void}} on gone: no user is signed in
     */
    constructor(server: string, known: import("./snapshot.js").Known, provide: (onUser: (user: string) => void, signal: AbortSignal) => Tokens, on: {
        user: (user: string) => void;
        gone: () => void;
        fault: (err: any) => void;
    });
    /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
    call(method: string, path: string, body?: object): Promise<any>;
    /** Determines again who is signed in, and reports whether a user is. It starts again after end. */
    again(): Promise<void | boolean>;
    /** The user has left, or the application gave an unclear response: then asks it again. */
    lost(): void;
    /** Ends all calls. */
    end(): void;
}

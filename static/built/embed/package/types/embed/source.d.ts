/**
 * The part of EventSource that Stream needs, implemented with fetch, because EventSource cannot send the token. It
 * never reconnects by itself.
 */
export declare class FetchSource extends EventTarget {
    #private;
    readyState: number;
    status: number;
    /** @type {(() => void) | null} */ onopen: (() => void) | null;
    /** @type {(() => void) | null} */ onerror: (() => void) | null;
    /**
     * @param {string} url
     * @param {() => Promise<string>} token
     */
    constructor(url: string, token: () => Promise<string>);
    close(): void;
}

export type Client = import("./core.js").Client;
export type Row = import("./rows.js").Row;
export type Change = (rows: readonly Row[], ...about: any[]) => readonly Row[];
/**
 * The notices of some types, of one scope or of one app, with their own badge and page of rows. They are read again whenever the page's
 * client hears of a change.
 */
export declare class Section extends EventTarget {
    #private;
    /** @param {Client} of @param {Record<string, string>} what the parameters type, scope and app of a call @param {import("./snapshot.js").Known} known where it is kept */
    constructor(of: Client, what: Record<string, string>, known: import("./snapshot.js").Known);
    /** Ends it. The page's client goes on. */
    close(): void;
    /** @param {(now: import("./core.js").Snapshot) => void} fn */
    subscribe(fn: (now: import("./core.js").Snapshot) => void): () => undefined;
    getSnapshot: () => import("./snapshot.js").Snapshot;
    /** @param {string} name @param {(e: CustomEvent) => void} fn */
    on(name: string, fn: (e: CustomEvent) => void): () => void;
    /** @param {{filter?: string, more?: boolean}} [which] */
    load({ filter, more }?: {
        filter?: string;
        more?: boolean;
    }): Promise<void>;
    /** Marks everything of the section as read, and nothing else, but for what the user has marked as unread; what was unread is `new`. */
    open(): Promise<void>;
    /** @returns {Promise<Row[]>} */
    unreads(): Promise<Row[]>;
    /** Changes the rows at once, and reads them again after the call. @param {Promise<any>} call @param {Change} change @param {any[]} about */
    change(call: Promise<any>, change: Change, ...about: any[]): Promise<any>;
}

export type State = import("./snapshot.js").State;
export type Snapshot = import("./snapshot.js").Snapshot;
export type Row = import("./rows.js").Row;
/**
 * @typedef {import("./snapshot.js").State} State
 * @typedef {import("./snapshot.js").Snapshot} Snapshot
 * @typedef {import("./rows.js").Row} Row
 */
/**
 * The notices of one user: a store whose snapshots never change.
 *
 * Events for `on`: `notice`, `toast` (`detail.shown()` reports that it was shown), `error`, and `change`: something about the user's
 * notices has changed, on this page or elsewhere.
 */
export declare class Client extends EventTarget {
    #private;
    /** @param {string} server @param {(onUser: (user: string) => void, signal: AbortSignal) => import("./tokens.js").Tokens} provide */
    constructor(server: string, provide: (onUser: (user: string) => void, signal: AbortSignal) => import("./tokens.js").Tokens);
    /** Calls fn now and after each change. Returns a function that unsubscribes. @param {(now: Snapshot) => void} fn */
    subscribe(fn: (now: Snapshot) => void): () => undefined;
    getSnapshot: () => import("./snapshot.js").Snapshot;
    /** @param {string} name @param {(e: CustomEvent) => void} fn */
    on(name: string, fn: (e: CustomEvent) => void): () => void;
    /** Makes a call of /api/v1/me that has no method here. @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
    call(method: string, path: string, body?: object): Promise<any>;
    /** Loads the first page, or the next one. filter is all, unread, archived or later. @param {{filter?: string, more?: boolean}} [which] */
    load({ filter, more }?: {
        filter?: string;
        more?: boolean;
    }): Promise<void>;
    loadAnnouncements(): Promise<void>;
    /** Opens the inbox: marks everything as read, and what was unread as `new`. */
    open(): Promise<void>;
    /** @param {{keys: string[]} | {upto: number | string} | {subject: string}} what */
    read(what: {
        keys: string[];
    } | {
        upto: number | string;
    } | {
        subject: string;
    }): Promise<void>;
    /**
     * The user looks at a thing itself: all notices about it are read, also those that arrive while the page is visible,
     * until the next call. An empty subject ends it.
     * @param {string} subject
     */
    seen(subject: string): Promise<void>;
    /** @param {string[]} keys */
    unread(keys: string[]): Promise<void>;
    /** @param {string[]} keys */
    delete(keys: string[]): Promise<void>;
    /** Moves notices to the archive. @param {string[]} keys */
    archive(keys: string[]): Promise<void>;
    /** Moves archived notices back to their places. @param {string[]} keys */
    unarchive(keys: string[]): Promise<void>;
    /** Puts a notice away until a time: RFC 3339, at most 90 days from now. @param {string} key @param {string} until */
    snooze(key: string, until: string): Promise<void>;
    /** Brings a notice back that was put away. @param {string} key */
    wake(key: string): Promise<void>;
    /** Undoes a deletion, which is possible for 10 minutes, or an archiving or snoozing. @param {string[]} keys */
    restore(keys: string[]): Promise<void>;
    /** Answers a question: the ids of the question and of a choice, with a comment if the choice has one. @param {number} id @param {string} choice @param {string} [comment] */
    answer(id: number, choice: string, comment?: string): Promise<void>;
    /** Returns the signed-in user, with their settings and the types of notices. */
    me(): Promise<any>;
    /** Mutes a type of notices, or unmutes it. @param {string} type @param {boolean} muted */
    mute(type: string, muted: boolean): Promise<any>;
    /** @param {{ids: number[]} | {all: true}} what */
    readAnnouncements(what: {
        ids: number[];
    } | {
        all: true;
    }): Promise<void>;
    /**
     * Directs toasts to this page: each is a `toast` event in one visible tab of the browser, whose `detail.shown()`
     * reports to the server that it was shown.
     */
    takeToasts(): void;
    /**
     * Determines again who is signed in, and reloads everything on display: for a sign-in or sign-out without a new
     * page. It also restarts a client after `end`.
     */
    refresh(): Promise<void>;
    /** Ends everything, permanently. */
    close(): void;
    /** Drops the user immediately; the state becomes signed out. `refresh` starts again. */
    end(): void;
}

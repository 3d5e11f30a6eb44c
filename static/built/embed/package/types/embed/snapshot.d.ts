export type State = "connecting" | "live" | "reconnecting" | "polling" | "offline" | "signed-out";
export type Row = import("./rows.js").Row;
export type Counts = {
    unread: number;
    inbox: number;
    announcements: number;
} | {
    unread: null;
    inbox: null;
    announcements: null;
};
export type Snapshot = {
    readonly state: State;
    readonly user: string | null;
    readonly badge: Counts;
    readonly notices: readonly Row[] | null;
    readonly next: number | null;
    readonly filter: string;
    readonly announcements: readonly any[] | null;
};
/** The state of a page's user, as a series of immutable snapshots. */
export declare class Known {
    #private;
    /** @type {Snapshot} */ now: Snapshot;
    /** Calls fn now and after each change. Returns a function that unsubscribes. @param {(now: Snapshot) => void} fn */
    subscribe(fn: (now: Snapshot) => void): () => undefined;
    /** @param {Partial<Snapshot>} part */
    set(part: Partial<Snapshot>): void;
    /** Drops everything about the previous user. @param {State} state @param {string | null} user */
    become(state: State, user: string | null): void;
    /** @param {import("../js/badge.js").Badge} badge */
    count(badge: import("../js/badge.js").Badge): void;
    /**
     * Changes the rows, if they are loaded, by a function of rows.js.
     * @template {any[]} About
     * @param {(rows: readonly Row[], ...about: About) => readonly Row[]} change
     * @param {About} about
     */
    rows<About extends any[]>(change: (rows: readonly Row[], ...about: About) => readonly Row[], ...about: About): void;
    /**
     * Shows a page of rows, unless another was requested since. Changes since the request are applied to it, because
     * the response may be older.
     * @param {Promise<{notices: Row[], next: number | null, badge: import("../js/badge.js").Badge}>} asked
     * @param {readonly Row[]} [above] rows that stay above it
     */
    page(asked: Promise<{
        notices: Row[];
        next: number | null;
        badge: import("../js/badge.js").Badge;
    }>, above?: readonly Row[]): Promise<void>;
    /**
     * Adds a row that arrived. The oldest rows of a page that stays open for days are dropped: they can be loaded
     * again.
     * @param {any} row
     * @param {string} filter
     */
    add(row: any, filter: string): void;
    /** Stops notifying subscribers. */
    close(): void;
}

export type Stream = import("./stream.js").Stream;
export type Badge = import("./badge.js").Badge;
export type State = import("./connection.js").State;
export type Message = {
    kind: "hello";
} | {
    kind: "wake";
} | {
    kind: "event";
    name: string;
    detail: any;
};
/** @typedef {import("./stream.js").Stream} Stream */
/** @typedef {import("./badge.js").Badge} Badge */
/** @typedef {import("./connection.js").State} State */
/**
 * Messages between tabs. `hello` requests the state and the badge from the leader, `wake`
 * makes it connect now.
 * @typedef {{kind: "hello"} | {kind: "wake"} | {kind: "event", name: string, detail: any}} Message
 */
/**
 * Shares one stream among all tabs of one user in one browser, because a browser
 * allows only six connections to a host. The tab that holds the lock leads: it has
 * the stream and passes its events on. Every tab, the leader too, gets the events
 * of Stream from here.
 */
export declare class Tabs extends EventTarget {
    #private;
    /**
     * @param {string} user tabs of other users receive nothing
     * @param {Stream} stream
     * @param {LockManager} [locks]
     */
    constructor(user: string, stream: Stream, locks?: LockManager);
    /** Whether this tab has the stream. */
    get leads(): boolean;
    /** Joins: listens, and waits for its turn to lead. */
    join(): void;
    /** Releases everything: a page kept in the browser's history must hold nothing. */
    leave(): void;
    /** Connects now if there is no connection, in any leading tab. */
    wake(): void;
    /** The network is back. */
    online(): void;
    /** The network has gone. */
    offline(): void;
}

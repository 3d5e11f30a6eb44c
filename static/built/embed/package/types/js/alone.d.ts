/**
 * A tab that cannot share a stream, as on plain HTTP in a home network, where
 * browsers offer no locks. It has a stream of its own while it is visible. Its
 * methods and events are the same as in Tabs.
 */
export declare class Alone extends EventTarget {
    #private;
    /** @param {import("./stream.js").Stream} stream */
    constructor(stream: import("./stream.js").Stream);
    /** Joins: connects whenever the page is visible. */
    join(): void;
    /** Closes the connection. */
    leave(): void;
    /** Connects now if there is no connection. */
    wake(): void;
    /** The network is back. */
    online(): void;
    /** The network has gone. */
    offline(): void;
}

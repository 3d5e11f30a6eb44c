/** The readyState of a source that does not reconnect by itself. */
export declare const closed = 2;
/** The events of the stream that are passed on, as the server names them. */
export declare const names: string[];
/** The events about rows of the inbox, which carry its version. */
export declare const inboxNames: string[];
/** The events about announcements. */
export declare const announcementNames: string[];
/**
 * Returns the ms to wait after this many failures. Full jitter: after an outage the
 * clients do not all reconnect together.
 * @param {number} failures
 * @param {number} random from 0 to 1
 */
export declare function backoff(failures: number, random: number): number;
/**
 * One event stream that reconnects by itself. EventSource does not retry after a 503 and
 * gives no reason for a failure, so every attempt is a new EventSource.
 *
 * Dispatches each event of the server as a CustomEvent with its data and its
 * `ver`, and `state`: "live", "reconnecting", "offline" or "signed-out".
 */
export declare class Stream extends EventTarget {
    #private;
    /**
     * @param {string} url
     * @param {(url: string) => EventSource} [make]
     * @param {Pick<import("./clock.js").Clock, "random" | "after">} [time]
     * @param {(url: string) => Promise<boolean>} [signedOut] called after a refusal: reports whether no user is signed in
     */
    constructor(url: string, make?: (url: string) => EventSource, time?: Pick<import("./clock.js").Clock, "random" | "after">, signedOut?: (url: string) => Promise<boolean>);
    /** Connects now, replacing any connection or planned attempt. */
    open(): void;
    /** Connects now unless it is connected or connecting. */
    wake(): void;
    /** Disconnects, and stays silent until it is opened again. */
    close(): void;
    /** Reports that the network has gone. The connection may still be alive. */
    offline(): void;
}

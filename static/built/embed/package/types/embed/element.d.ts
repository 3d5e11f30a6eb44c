import { Settable } from "./settable.js";
export type Client = import("./core.js").Client;
export type Snapshot = import("./core.js").Snapshot;
/** What all elements have: a client, which elements share, and texts in the language of their place in the page. */
export declare class CarillonElement extends Settable {
    #private;
    failed: boolean;
    get client(): import("./core.js").Client | null;
    set client(client: import("./core.js").Client | null);
    /** @override @param {boolean} anew @param {boolean} put */
    update(anew: boolean, put: boolean): void;
    /** Builds what is shown. @param {ShadowRoot} _root @param {Client} _client */
    start(_root: ShadowRoot, _client: Client): void;
    /** Loads what is shown of a user. @param {Client} _client */
    load(_client: Client): void;
    /** Draws a snapshot. @param {Snapshot} _now */
    draw(_now: Snapshot): void;
    /** The element has another place in the page. */
    moved(): void;
    /** The user has left. */
    left(): void;
    /** Asks again who is signed in, and loads everything that is shown. */
    refresh(): Promise<void>;
    /** Drops the user immediately, in all elements that share the client. */
    signOut(): void;
    get language(): string;
    /** @param {string} id @param {Record<string, string | number>} [values] */
    text(id: string, values?: Record<string, string | number>): string;
    /** Returns why something is not shown, or may be outdated; "" if there is no fault. @param {Snapshot} now */
    fault({ state, notices }: Snapshot): string;
    /** Reports whether an attribute is there. Some frameworks write false. @param {string} name */
    flag(name: string): boolean;
    /** Undoes something when the element leaves the page. @param {() => void} stop */
    until(stop: () => void): void;
    /**
     * Dispatches an event of the element. Returns false if the page prevents its default.
     * @param {string} name @param {any} [detail]
     */
    emit(name: string, detail?: any): boolean;
}

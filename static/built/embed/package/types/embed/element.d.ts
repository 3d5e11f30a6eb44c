import { Settable } from "./settable.js";
export type Client = import("./core.js").Client;
export type Snapshot = import("./core.js").Snapshot;
/** The attributes that select notices; without them an element shows all of them. */
export declare const sections: string[];
/** The base of all elements: a client, which elements share, and texts in the language of their place in the page. */
export declare class CarillonElement extends Settable {
    #private;
    failed: boolean;
    get client(): import("./client.js").Client | null;
    set client(client: import("./client.js").Client | null);
    /** @override @param {boolean} anew @param {boolean} put */
    update(anew: boolean, put: boolean): void;
    /** Builds the content. Returns the function that draws a snapshot. @param {ShadowRoot} _root @param {Client} _client @returns {(now: Snapshot) => void} */
    start(_root: ShadowRoot, _client: Client): (now: Snapshot) => void;
    /** Loads the content for a user. @param {Client} _client @param {boolean} [_chosen] the user chose a tab */
    load(_client: Client, _chosen?: boolean): void;
    /** Is called when the element has moved in the page. */
    moved(): void;
    /** Is called when the user has left. */
    left(): void;
    /** Determines again who is signed in, and reloads everything on display. */
    refresh(): Promise<void>;
    /** Drops the user immediately, in all elements that share the client. */
    signOut(): void;
    get language(): string;
    /** @param {string} id @param {Record<string, string | number>} [values] */
    text(id: string, values?: Record<string, string | number>): string;
    /** Makes a button with a text. @param {string} id of the text @param {() => void} click @param {Record<string, string>} [attributes] */
    button(id: string, click: () => void, attributes?: Record<string, string>): HTMLElement;
    /** Returns why content is missing or may be outdated; "" if there is no fault. @param {Snapshot} now */
    fault({ state, notices }: Snapshot): string;
    /** Reports whether an attribute is set. Some frameworks write false. @param {string} name */
    flag(name: string): boolean;
    /** Calls stop when the element leaves the page. @param {() => void} stop */
    atEnd(stop: () => void): void;
    /**
     * Dispatches an event of the element. Returns false if the page prevents its default.
     * @param {string} name @param {any} [detail]
     */
    emit(name: string, detail?: any): boolean;
}

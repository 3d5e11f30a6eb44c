export type Client = import("./core.js").Client;
export type Snapshot = import("./core.js").Snapshot;
declare const CarillonElement_base: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/**
 * What all elements have: a client, which elements with the same source of tokens
 * share, and texts in the language of their place in the page.
 */
export declare class CarillonElement extends /** @type {typeof HTMLElement} */ /** @type {typeof HTMLElement} */ CarillonElement_base {
    #private;
    /** @type {(() => Promise<string | null>) | null} */ tokenProvider: (() => Promise<string | null>) | null;
    /** @type {Client | null} */ client: Client | null;
    /** @type {Record<string, string> | null} */ texts: Record<string, string> | null;
    /** Draws the content of a row instead. @type {((row: import("./rows.js").Row, element: HTMLElement) => Node) | null} */ renderRow: ((row: import("./rows.js").Row, element: HTMLElement) => Node) | null;
    connectedCallback(): void;
    disconnectedCallback(): void;
    /** Builds what is shown. @param {ShadowRoot} _root @param {Client} _client */
    start(_root: ShadowRoot, _client: Client): void;
    /** Draws a snapshot. @param {Snapshot} _now */
    draw(_now: Snapshot): void;
    /** Loads everything that is shown again. */
    refresh(): Promise<void>;
    /** Forgets the user at once, in all elements that share the client, such as when they sign out. */
    signOut(): void;
    get language(): string;
    /** @param {string} id @param {Record<string, string | number>} [values] */
    text(id: string, values?: Record<string, string | number>): string;
    /** Undoes something when the element leaves the page. @param {() => void} stop */
    until(stop: () => void): void;
    /**
     * Dispatches an event of the element. Returns false if the page prevents its default.
     * @param {string} name @param {any} [detail]
     */
    tell(name: string, detail?: any): boolean;
}
export {};

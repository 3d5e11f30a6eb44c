export type Client = import("./core.js").Client;
export type Snapshot = import("./core.js").Snapshot;
export type Given = {
    client?: Client | null;
    tokenProvider?: (() => Promise<string | null | undefined>) | null;
    texts?: Record<string, string> | null;
    renderRow?: ((row: import("./rows.js").Row, element: HTMLElement) => Node) | null;
};
declare const CarillonElement_base: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/**
 * What all elements have: a client, which elements share, and texts in the language of their place in the page.
 * Attributes and properties may be set at any time, also before this script is there.
 */
export declare class CarillonElement extends /** @type {typeof HTMLElement} */ /** @type {typeof HTMLElement} */ CarillonElement_base {
    #private;
    static observedAttributes: string[];
    failed: boolean;
    constructor();
    get client(): import("./core.js").Client | null;
    set client(client: import("./core.js").Client | null);
    get tokenProvider(): (() => Promise<string | null | undefined>) | null;
    set tokenProvider(tokenProvider: (() => Promise<string | null | undefined>) | null);
    get texts(): Record<string, string> | null;
    set texts(texts: Record<string, string> | null);
    /** Draws the content of a row instead. */
    get renderRow(): ((row: import("./rows.js").Row, element: HTMLElement) => Node) | null;
    set renderRow(renderRow: ((row: import("./rows.js").Row, element: HTMLElement) => Node) | null);
    connectedCallback(): void;
    disconnectedCallback(): void;
    /** @param {string} name @param {string | null} had @param {string | null} has */
    attributeChangedCallback(name: string, had: string | null, has: string | null): void;
    /** An attribute has another value. @param {string} _name */
    changed(_name: string): void;
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
    /** Forgets the user at once, in all elements that share the client. */
    signOut(): void;
    get language(): string;
    /** @param {string} id @param {Record<string, string | number>} [values] */
    text(id: string, values?: Record<string, string | number>): string;
    /** Says why something is not shown, or may be old; "" if nothing is wrong. @param {Snapshot} now */
    fault({ state, notices }: Snapshot): string;
    /** Reports whether an attribute is there. Some frameworks write false. @param {string} name */
    flag(name: string): boolean;
    /** Undoes something when the element leaves the page. @param {() => void} stop */
    until(stop: () => void): void;
    /**
     * Dispatches an event of the element. Returns false if the page prevents its default.
     * @param {string} name @param {any} [detail]
     */
    tell(name: string, detail?: any): boolean;
}
export {};

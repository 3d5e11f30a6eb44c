export type Client = import("./core.js").Client;
export type Given = {
    client?: Client | null;
    tokenProvider?: (() => Promise<string | null | undefined>) | null;
    texts?: Record<string, string> | null;
    renderRow?: ((row: import("./rows.js").Row, element: HTMLElement) => Node) | null;
};
declare const Settable_base: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/** An element whose attributes and properties the page may set at any time, even before this script has loaded. */
export declare class Settable extends /** @type {typeof HTMLElement} */ /** @type {typeof HTMLElement} */ Settable_base {
    #private;
    static observedAttributes: string[];
    constructor();
    get client(): import("./client.js").Client | null;
    set client(client: import("./client.js").Client | null);
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
    /** Is called when an attribute has changed. @param {string} _name */
    changed(_name: string): void;
    /** Updates everything after the page's current task, which may move the element or set more. */
    settle(anew?: boolean): void;
    /** Updates the element from the page's settings. @param {boolean} _anew everything is drawn again @param {boolean} _put it was inserted or moved in the page, or a setting was changed */
    update(_anew: boolean, _put: boolean): void;
}
export {};

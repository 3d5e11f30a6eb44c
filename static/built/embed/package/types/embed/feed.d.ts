export type Client = import("./core.js").Client;
export type Snapshot = import("./core.js").Snapshot;
/** @typedef {import("./core.js").Client} Client */
/** @typedef {import("./core.js").Snapshot} Snapshot */
export declare const bell = "M6 8a6 6 0 0 1 12 0c0 7 3 9 3 9H3s3-2 3-9M10.3 21a2 2 0 0 0 3.4 0";
/** The rows of an element, what stands in their place, and what the user does with them. */
export declare class Feed {
    #private;
    el: import("./element.js").CarillonElement;
    client: import("./client.js").Client;
    acts: string;
    list: HTMLElement;
    said: HTMLElement;
    /** @param {import("./element.js").CarillonElement} el @param {Client} client @param {string} acts hover, menu or none @param {() => void} [away] is called when the user follows a link */
    constructor(el: import("./element.js").CarillonElement, client: Client, acts: string, away?: () => void);
    get nodes(): HTMLElement[];
    /** @param {Snapshot} now @param {readonly any[]} posts @param {Snapshot["notices"]} notices */
    show(now: Snapshot, posts: readonly any[], notices?: Snapshot["notices"]): string;
    /** Reports whether a call succeeded. @param {Promise<unknown> | undefined} call */
    try(call: Promise<unknown> | undefined): Promise<boolean>;
    /** Adds what a row has beside its text, and what the user can do with it. @param {HTMLElement} li @param {any} of */
    act(li: HTMLElement, of: any): void;
    readAll(): void;
    /** Returns what happens when the user follows a link of a row, which a router of the page may take over. @param {any} of @param {string} link */
    follow(of: any, link: string): (/** @type {Event} */ e: Event) => void;
}

import { CarillonElement } from "./element.js";
export type Client = import("./core.js").Client;
export type Snapshot = import("./core.js").Snapshot;
export type Row = import("./rows.js").Row;
/** The whole inbox as part of a page. */
export declare class CarillonInbox extends CarillonElement {
    #private;
    static observedAttributes: string[];
    /** @param {ShadowRoot} root @param {Client} client */
    start(root: ShadowRoot, client: Client): void;
    /** @param {Client} client */
    load(client: Client): Promise<void>;
    /** @param {Snapshot} now */
    draw(now: Snapshot): void;
}

import { CarillonElement } from "./element.js";
export type Client = import("./core.js").Client;
/** The whole inbox as part of a page. */
export declare class CarillonInbox extends CarillonElement {
    static observedAttributes: string[];
    /** @override @param {ShadowRoot} root @param {Client} client */
    start(root: ShadowRoot, client: Client): (now: import("./core.js").Snapshot) => void;
}

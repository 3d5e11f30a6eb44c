import { CarillonElement } from "./element.js";
/** A bell with the number of unread items, and a panel with the newest notices. */
export declare class CarillonBell extends CarillonElement {
    #private;
    static observedAttributes: string[];
    /** @override @param {ShadowRoot} root @param {import("./core.js").Client} client */
    start(root: ShadowRoot, client: import("./core.js").Client): (now: import("./core.js").Snapshot) => void;
    /** @override */
    moved(): void;
    /** @override */
    left(): void;
    /** @override @param {string} name */
    changed(name: string): void;
    /** Opens the panel. */
    show(): void;
    /** Closes the panel. */
    hide(): void;
}

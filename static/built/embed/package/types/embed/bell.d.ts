import { CarillonElement } from "./element.js";
export type Snapshot = import("./core.js").Snapshot;
/** A bell with the number of unread items, and a panel with the newest notices. */
export declare class CarillonBell extends CarillonElement {
    #private;
    static observedAttributes: string[];
    /** @param {ShadowRoot} root @param {import("./core.js").Client} client */
    start(root: ShadowRoot, client: import("./core.js").Client): void;
    moved(): void;
    left(): void;
    /** @param {string} name */
    changed(name: string): void;
    /** @param {Snapshot} now */
    draw(now: Snapshot): void;
    /** Opens the panel. */
    show(): void;
    /** Closes the panel. */
    hide(): void;
}

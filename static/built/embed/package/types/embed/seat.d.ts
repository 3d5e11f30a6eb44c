export type Client = import("./core.js").Client;
export type Provider = () => Promise<string | null | undefined>;
export type Table = {
    client: Client;
    server: string;
    owners: number;
    guests: number;
};
/**
 * The place of one element at a client. Elements with the same settings share one, and an element without any joins
 * the page's client, in any order.
 */
export declare class Seat {
    #private;
    /** @param {() => void} changed is called when the page may have another client for a guest */
    constructor(changed: () => void);
    /**
     * Takes the place that the settings name, and leaves the one before. Null: the page has no client yet.
     * @param {{client: Client | null, provide: Provider | null, token: string | null, tokenUrl: string | null, server: string | null}} settings
     * @throws {TypeError} that names the wrong attribute
     */
    take({ client, provide, token, tokenUrl, server: named }: {
        client: Client | null;
        provide: Provider | null;
        token: string | null;
        tokenUrl: string | null;
        server: string | null;
    }): import("./core.js").Client | null;
    leave(): void;
}

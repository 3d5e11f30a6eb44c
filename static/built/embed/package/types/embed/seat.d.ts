export type Client = import("./core.js").Client;
export type Provider = () => Promise<string | null | undefined>;
export type Table = {
    client: Client;
    server: string;
    owners: number;
    guests: number;
};
/**
 * The connection of one element to a client. Elements with the same settings share a client, and an element without
 * settings uses the page's client, in any order.
 */
export declare class Seat {
    #private;
    /** @param {() => void} changed is called when the page may have another client for a guest */
    constructor(changed: () => void);
    /**
     * Joins the client for the settings, and leaves the previous one. Returns null if the page has no client yet.
     * @param {{client: Client | null, provide: Provider | null, token: string | null, tokenUrl: string | null, server: string | null}} settings
     * @throws {TypeError} that names the wrong attribute
     */
    take({ client, provide, token, tokenUrl, server: named }: {
        client: Client | null;
        provide: Provider | null;
        token: string | null;
        tokenUrl: string | null;
        server: string | null;
    }): import("./client.js").Client | null;
    leave(): void;
}

import { Client } from "./client.js";
export type State = import("./snapshot.js").State;
export type Snapshot = import("./snapshot.js").Snapshot;
export type Row = import("./rows.js").Row;
/**
 * @typedef {import("./snapshot.js").State} State
 * @typedef {import("./snapshot.js").Snapshot} Snapshot
 * @typedef {import("./rows.js").Row} Row
 */
export { Client };
/**
 * Connects a page to the notices of its user. On the server's own host it needs no tokens.
 * @param {{server?: string | null, tokenUrl?: string | null, tokenProvider?: (() => Promise<string | null | undefined>) | null}} options
 */
export declare function connect({ server, tokenUrl, tokenProvider }: {
    server?: string | null;
    tokenUrl?: string | null;
    tokenProvider?: (() => Promise<string | null | undefined>) | null;
}): Client;

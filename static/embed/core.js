// @ts-check
import { addressOf, baseOf, ours } from "./base.js";
import { Client } from "./client.js";
import { Session, tokenFrom, Tokens } from "./tokens.js";

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
export function connect({ server, tokenUrl, tokenProvider }) {
	const base = baseOf(server);
	if (!tokenProvider && !tokenUrl && ours(base)) return new Client(base, (onUser) => new Session(base, onUser));
	const source = tokenProvider ? "" : addressOf("token-url", tokenUrl ?? "", "/carillon/token", /./).href;
	// Tabs with the same source share their tokens.
	return new Client(base, (onUser, signal) => new Tokens(tokenProvider ?? tokenFrom(source), onUser, source && `${base} ${source}`, signal));
}

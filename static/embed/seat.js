// @ts-check
import { addressOf, baseOf, ours } from "./base.js";
import { connect } from "./core.js";

/** @typedef {import("./core.js").Client} Client */
/** @typedef {() => Promise<string | null | undefined>} Provider */

/**
 * A client of the page, with the numbers of its elements: owners, which have settings for it, and guests, which have
 * none.
 * @typedef {{client: Client, server: string, owners: number, guests: number}} Table
 */

/** @type {Map<unknown, Table>} */ const tables = new Map();
/** @type {Set<() => void>} */ const guests = new Set();

/** @type {WeakMap<Provider, string>} */ const numbers = new WeakMap();
let last = 0;

/** @param {Provider} provide */
function numberOf(provide) {
	const number = numbers.get(provide) ?? `provider ${++last}`;
	numbers.set(provide, number);
	return number;
}

/**
 * The connection of one element to a client. Elements with the same settings share a client, and an element without
 * settings uses the page's client, in any order.
 */
export class Seat {
	/** @type {Table | undefined} */ #table;
	#owns = false;
	#changed;

	/** @param {() => void} changed is called when the page may have another client for a guest */
	constructor(changed) {
		this.#changed = changed;
	}

	/**
	 * Joins the client for the settings, and leaves the previous one. Returns null if the page has no client yet.
	 * @param {{client: Client | null, provide: Provider | null, token: string | null, tokenUrl: string | null, server: string | null}} settings
	 * @throws {TypeError} that names the wrong attribute
	 */
	take({ client, provide, token, tokenUrl, server: named }) {
		const server = baseOf(named);
		const owns = Boolean(client || provide || token || tokenUrl);
		const url = !client && !provide && !token && tokenUrl ? addressOf("token-url", tokenUrl, "/carillon/token").href : undefined;
		const key = client ?? `${server} ${provide ? numberOf(provide) : token ? `token ${token}` : (url ?? "session")}`;
		const open = () => client ?? connect({ server, tokenUrl: url, tokenProvider: provide ?? (token ? async () => token : null) });
		let table = owns ? tables.get(key) : this.#pages(named ? server : null);
		if (!table && !owns && !ours(server)) {
			this.leave();
			guests.add(this.#changed);
			return null;
		}
		if (!table) tables.set(key, (table = { client: open(), server, owners: 0, guests: 0 }));
		if (table === this.#table && owns === this.#owns) return table.client;
		table[owns ? "owners" : "guests"]++;
		this.leave();
		[this.#table, this.#owns] = [table, owns];
		if (!owns) guests.add(this.#changed);
		else if (table.owners === 1) for (const changed of guests) changed();
		return table.client;
	}

	/** Returns the client of the page: a client with owners, else the current client of this guest. @param {string | null} server */
	#pages(server) {
		const all = [...tables.values()].filter((t) => !server || t.server === server);
		return all.find((t) => t.owners > 0) ?? all.find((t) => t === this.#table) ?? all[0];
	}

	leave() {
		const table = this.#table;
		guests.delete(this.#changed);
		this.#table = undefined;
		if (!table) return;
		table[this.#owns ? "owners" : "guests"]--;
		for (const changed of guests) changed();
		// The next element may follow immediately.
		setTimeout(() => {
			if (table.owners + table.guests > 0) return;
			for (const [key, one] of tables) {
				if (one !== table) continue;
				tables.delete(key);
				if (key !== table.client) table.client.close(); // the page closes a client that it has set
			}
		});
	}
}

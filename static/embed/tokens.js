// @ts-check
import { fresh } from "./fresh.js";

/** No user is signed in to the host application. With a message, its response was malformed, so the request is repeated. */
export class SignedOut extends Error {}

/**
 * Provides the token of the user, in memory only. It is requested on use, once for all waiting calls. The other tabs
 * of the page's origin adopt each new token, so that only the tab with the stream renews it; a page that has just
 * loaded requests its own, because another user may have signed in.
 */
export class Tokens {
	/** @type {string | null} */ #token = null;
	/** @type {Promise<string> | null} */ #asked = null;
	/** @type {BroadcastChannel | undefined} */ #tabs;
	#provide;
	#onUser;

	/**
	 * @param {(signal: AbortSignal) => Promise<string | null | undefined>} provide
	 * @param {(user: string) => void} onUser is called with the user of each new token
	 * @param {string} [name] of the source of tokens; tabs with the same one share them
	 * @param {AbortSignal} [signal] ends the sharing
	 */
	constructor(provide, onUser, name, signal) {
		this.#provide = provide;
		this.#onUser = onUser;
		if (!name) return;
		this.#tabs = new BroadcastChannel(`carillon token ${name}`);
		this.#tabs.onmessage = (e) => this.#take(e.data);
		signal?.addEventListener("abort", () => this.#tabs?.close());
	}

	/** @param {boolean} [again] the server has rejected the last one @returns {Promise<string>} */
	async get(again) {
		const spare = 30_000; // ms that a token must still live when it is used
		const token = this.#token;
		return again || token === null || claims(token).exp * 1000 - Date.now() <= spare ? (this.#asked ?? this.anew()) : token;
	}

	/** Requests a token even if one is being requested: another user may have signed in since. Only the last request counts. */
	anew() {
		this.#token = null;
		const last = (/** @type {(result: any) => any} */ use) => (/** @type {any} */ result) => {
			if (mine !== this.#asked) return this.get();
			this.#asked = null;
			return use(result);
		};
		const signal = AbortSignal.timeout(10_000);
		const late = new Promise((_, reject) => (signal.onabort = () => reject(Error("no token in 10 s"))));
		/** @type {Promise<string>} */
		const mine = (this.#asked = Promise.race([this.find(signal), late]).then(
			last(([token, user]) => {
				this.#take(token, user);
				this.#tabs?.postMessage(token);
				return token;
			}),
			last((err) => { throw err; }),
		));
		return mine;
	}

	/** Returns a token for a new stream. Without tokens it requests the user again: another one may have signed in. @param {boolean} refused */
	fresh(refused) {
		return this.get(refused || !this.#token);
	}

	/** The ms until a random moment in the last half of the token's life, so that renewals are spread; NaN without a token. */
	get left() {
		const { iat, exp } = claims(this.#token ?? "");
		return Math.max(1_000, exp * 1000 - Math.random() * (exp - iat) * 500 - Date.now());
	}

	/** Returns a token, and its user if the token does not name them. @param {AbortSignal} signal @returns {Promise<[string, any?]>} */
	async find(signal) {
		const token = await this.#provide(signal);
		if (!token) throw new SignedOut();
		return [token];
	}

	/** @param {string} token */
	#take(token, user = claims(token).sub) {
		if (!user) throw Error("the token has no sub");
		this.#token = token;
		this.#onUser(`${user}`);
	}
}

/**
 * Replaces tokens on pages of Carillon's own host, where the session identifies the user, or the proxy that has
 * signed the user in. The server returns the user.
 */
export class Session extends Tokens {
	#server;

	/** @param {string} server @param {(user: string) => void} onUser */
	constructor(server, onUser) {
		super(async () => null, onUser); // find needs none
		this.#server = server;
	}

	/** @param {AbortSignal} signal @returns {Promise<[string, any?]>} */
	async find(signal) {
		const res = await fetch(fresh(`${this.#server}api/v1/me`), { signal });
		if (res.status === 401 || res.redirected) throw new SignedOut(); // to the sign-in page
		if (!res.ok) throw Error(`status ${res.status}`);
		return ["", (await res.json()).id];
	}
}

/** Returns the headers that identify the user. @param {string} token @returns {Record<string, string>} */
export function headersOf(token) {
	return token ? { Authorization: `Bearer ${token}` } : {};
}

/**
 * Returns the claims of a token. Only the server verifies them.
 * @param {string} token
 * @returns {Record<string, any>}
 */
function claims(token) {
	try {
		const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
		return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
	} catch {
		return {};
	}
}

/**
 * Requests a token from the host application: 401 means that no user is signed in.
 * @param {string} url
 */
export function tokenFrom(url) {
	return async (/** @type {AbortSignal} */ signal) => {
		// No cache may return the previous user's token.
		const res = await fetch(fresh(url), { headers: { Accept: "application/json" }, cache: "no-store", credentials: "include", signal })
			.catch(() => { throw Error(`no answer from ${url}`); });
		if (res.status === 401) return null;
		const body = await res.json().catch(() => null);
		if (res.ok && body?.token) return body.token;
		// A successful response without a token, such as a sign-in page, means that no user is signed in; an error does not.
		const Fault = res.ok ? SignedOut : Error;
		throw new Fault(`token-url ${url}${res.redirected ? ` leads to ${res.url}, which` : ""} answers ${res.status}, not {"token": "..."} or 401`);
	};
}

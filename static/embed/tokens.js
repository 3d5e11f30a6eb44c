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
		if (!name || typeof BroadcastChannel !== "function") return;
		this.#tabs = new BroadcastChannel(`carillon token ${name}`);
		this.#tabs.onmessage = (e) => this.#take(e.data);
		signal?.addEventListener("abort", () => this.#tabs?.close());
	}

	/** @param {boolean} [again] the server has rejected the last one */
	get(again = false) {
		const spare = 30_000; // ms that a token must still live when it is used
		if (this.#token && !again && claims(this.#token).exp * 1000 - Date.now() > spare) return Promise.resolve(this.#token);
		this.#asked ??= this.#ask().finally(() => (this.#asked = null));
		return this.#asked;
	}

	/** Returns a token for a new stream. @param {boolean} refused */
	fresh(refused) {
		return this.get(refused);
	}

	/** The ms until a random moment in the last half of the token's life, so that renewals are spread; NaN without a token. */
	get left() {
		const { iat, exp } = claims(this.#token ?? "");
		return Math.max(1_000, exp * 1000 - Math.random() * (exp - iat) * 500 - Date.now());
	}

	async #ask() {
		this.#token = null;
		const token = await inTime(this.#provide);
		if (!token) throw new SignedOut();
		this.#take(token);
		this.#tabs?.postMessage(token);
		return token;
	}

	/** @param {string} token */
	#take(token) {
		const { sub } = claims(token);
		if (sub === undefined) throw new Error("the token has no sub");
		this.#token = token;
		this.#onUser(String(sub));
	}
}

/**
 * Replaces tokens on pages of Carillon's own host, where the session identifies the user, or the proxy that has
 * signed the user in. The server returns the user.
 */
export class Session extends Tokens {
	/** @type {Promise<string> | null} */ #known = null;
	#ask;

	/** @param {string} server @param {(user: string) => void} onUser */
	constructor(server, onUser) {
		super(async () => null, onUser);
		this.#ask = async () => {
			const res = await inTime((signal) => fetch(fresh(`${server}api/v1/me`), { signal }));
			if (res.status === 401 || res.redirected) throw new SignedOut(); // to the sign-in page
			if (!res.ok) throw new Error(`status ${res.status}`);
			onUser((await res.json()).id);
			return "";
		};
	}

	get(again = false) {
		if (again) this.#known = null;
		this.#known ??= this.#ask().catch((err) => {
			this.#known = null;
			throw err;
		});
		return this.#known;
	}

	/** Requests the user again: another user may have signed in. */
	fresh() {
		return this.get(true);
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

/** @template T @param {(signal: AbortSignal) => T | Promise<T>} ask @returns {Promise<T>} */
async function inTime(ask) {
	const signal = AbortSignal.timeout(10_000);
	return Promise.race([
		ask(signal),
		new Promise((_, reject) => (signal.onabort = () => reject(new Error("no token in 10 s")))),
	]);
}

/**
 * Requests a token from the host application: 401 means that no user is signed in.
 * @param {string} url
 */
export function tokenFrom(url) {
	return async (/** @type {AbortSignal} */ signal) => {
		// No cache may return the previous user's token.
		const res = await fetch(fresh(url), { headers: { Accept: "application/json" }, cache: "no-store", credentials: "include", signal })
			.catch(() => { throw new Error(`no answer from ${url}`); });
		if (res.status === 401) return null;
		const body = await res.json().catch(() => null);
		if (res.ok && body?.token) return body.token;
		// A successful response without a token, such as a sign-in page, means that no user is signed in; an error does not.
		const Fault = res.ok ? SignedOut : Error;
		throw new Fault(`token-url ${url}${res.redirected ? ` leads to ${res.url}, which` : ""} answers ${res.status}, not {"token": "..."} or 401`);
	};
}

// @ts-check
import { fresh } from "./fresh.js";

/** Nobody is signed in to the host application. A message says that it should answer in another way, so it is asked again. */
export class SignedOut extends Error {}

/**
 * Provides the token of the user, in memory only. It is asked for when it is used, and once
 * however many calls wait for it. The other tabs of the page's origin take each new token over,
 * so that only the tab with the stream renews it; a page that has just loaded asks for its own,
 * because another user may have signed in.
 */
export class Tokens {
	/** @type {string | null} */ #token = null;
	/** @type {Promise<string> | null} */ #asked = null;
	/** @type {BroadcastChannel | undefined} */ #tabs;
	#provide;
	#told;

	/**
	 * @param {(signal: AbortSignal) => Promise<string | null | undefined>} provide
	 * @param {(user: string) => void} told is called with the user of each new token
	 * @param {string} [name] of the source of tokens; tabs with the same one share them
	 * @param {AbortSignal} [signal] ends the sharing
	 */
	constructor(provide, told, name, signal) {
		this.#provide = provide;
		this.#told = told;
		if (!name || typeof BroadcastChannel !== "function") return;
		this.#tabs = new BroadcastChannel(`carillon token ${name}`);
		this.#tabs.onmessage = (e) => this.#take(e.data);
		signal?.addEventListener("abort", () => this.#tabs?.close());
	}

	/** @param {boolean} [again] the server has refused the last one */
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
		this.#told(String(sub));
	}
}

/**
 * Stands for tokens on pages of Carillon's own host: the session counts there, or the proxy that has
 * signed the user in. The server says who that is.
 */
export class Session extends Tokens {
	/** @type {Promise<string> | null} */ #known = null;
	#ask;

	/** @param {string} server @param {(user: string) => void} told */
	constructor(server, told) {
		super(async () => null, told);
		this.#ask = async () => {
			const res = await inTime((signal) => fetch(fresh(`${server}api/v1/me`), { signal }));
			if (res.status === 401 || res.redirected) throw new SignedOut(); // to the page that signs people in
			if (!res.ok) throw new Error(`status ${res.status}`);
			told((await res.json()).id);
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

	/** Asks again: somebody else may have signed in. */
	fresh() {
		return this.get(true);
	}
}

/** Returns the headers that say who is asking. @param {string} token @returns {Record<string, string>} */
export function headersOf(token) {
	return token ? { Authorization: `Bearer ${token}` } : {};
}

/**
 * Returns what a token says. Only the server checks whether it is true.
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
 * Asks the host application: 401 means that nobody is signed in.
 * @param {string} url
 */
export function tokenFrom(url) {
	return async (/** @type {AbortSignal} */ signal) => {
		// No cache may give the token of the user before.
		const res = await fetch(fresh(url), { headers: { Accept: "application/json" }, cache: "no-store", credentials: "include", signal })
			.catch(() => { throw new Error(`no answer from ${url}`); });
		if (res.status === 401) return null;
		const body = await res.json().catch(() => null);
		if (res.ok && body?.token) return body.token;
		// An application that has answered, if only with its page for signing in, has nobody; one that has failed may have.
		const Fault = res.ok ? SignedOut : Error;
		throw new Fault(`token-url ${url}${res.redirected ? ` leads to ${res.url}, which` : ""} answers ${res.status}, not {"token": "..."} or 401`);
	};
}

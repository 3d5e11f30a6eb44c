// @ts-check
import { backoff } from "../js/stream.js";
import { complain, cure, refused } from "./complain.js";
import { fresh } from "./fresh.js";
import { headersOf, SignedOut } from "./tokens.js";

/** @typedef {import("./tokens.js").Tokens} Tokens */

const patience = 30_000; // ms for one call

/** The user who is signed in, and their calls. */
export class Account {
	#off = new AbortController(); // until the user signs out
	#failures = 0; // to determine who is signed in
	#server;
	#known;
	#provide;
	#on;
	/** @type {Tokens} */ tokens;

	/**
	 * @param {string} server
	 * @param {import("./snapshot.js").Known} known
	 * @param {(onUser: (user: string) => void, signal: AbortSignal) => Tokens} provide
	 * @param {{user: (user: string) => void, gone: () => void, fault: (err: any) => void}} on gone: no user is signed in
	 */
	constructor(server, known, provide, on) {
		this.#server = server;
		this.#known = known;
		this.#provide = provide;
		this.#on = on;
		this.tokens = this.#connect();
		void this.#begin();
	}

	/** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
	async call(method, path, body) {
		const { signal } = this.#off;
		const { user } = this.#known.now;
		const answer = await this.#ask(signal, method, path, body).catch((err) => {
			if (err instanceof SignedOut && !signal.aborted) this.lost();
			throw err;
		});
		// A response about a user who has left must not appear in the page of the next user.
		if (signal.aborted || (user && user !== this.#known.now.user)) throw Error("user left");
		return answer;
	}

	/** Determines again who is signed in, and reports whether a user is. It starts again after end. */
	again() {
		if (this.#off.signal.aborted) {
			this.tokens = this.#connect();
			this.#known.set({ state: "connecting" });
		}
		return this.#begin(this.tokens.anew());
	}

	/** The user has left, or the application gave an unclear response: then asks it again. */
	lost() {
		this.#on.gone();
		void this.#begin();
	}

	/** Ends all calls. */
	end() {
		this.#off.abort();
	}

	#connect() {
		const { signal } = (this.#off = new AbortController());
		addEventListener("online", () => this.#known.now.user || void this.#begin(), { signal });
		return this.#provide((user) => signal.aborted || this.#on.user(user), signal);
	}

	/** Makes a call, and replaces a rejected token once. @param {AbortSignal} off @param {string} method @param {string} path @param {object} [body] */
	async #ask(off, method, path, body) {
		const { tokens } = this;
		for (let again = false; ; again = true) {
			off.throwIfAborted(); // request no token for a user who has left
			const headers = headersOf(await tokens.get(again));
			if (body) headers["Content-Type"] = "application/json";
			const address = `${this.#server}api/v1/me${path && "/"}${path}`;
			const res = await fetch(method === "GET" ? fresh(address) : address, { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.any([off, AbortSignal.timeout(patience)]) })
				.catch(async (err) => { throw Object.assign(err, !off.aborted && (await refused(this.#server)) && { code: "origin_refused" }); });
			if (res.ok) return res.status === 204 ? undefined : res.json();
			if (res.status === 401 && !again) continue;
			const problem = await res.json().catch(() => ({}));
			if (problem.code === "origin_refused") complain(cure(this.#server));
			throw Object.assign(Error(problem.detail ?? `status ${res.status}`), { code: problem.code ?? String(res.status) });
		}
	}

	/** Determines who is signed in, and reports whether a user is. A failure is retried soon. @returns {Promise<boolean | void>} */
	async #begin(asked = this.tokens.get()) {
		const { signal } = this.#off;
		try {
			await asked;
			this.#failures = 0;
			return true;
		} catch (err) {
			if (signal.aborted) return;
			const { message } = /** @type {Error} */ (err);
			if (err instanceof SignedOut) this.#on.gone();
			else if (!this.#known.now.user) this.#known.set({ state: navigator.onLine ? "reconnecting" : "offline" });
			if (!message) return; // the application gave a definite response
			complain(message);
			this.#on.fault(err);
			const nth = ++this.#failures;
			setTimeout(() => signal.aborted || nth !== this.#failures || this.#begin(), backoff(nth - 1, Math.random()));
		}
	}
}

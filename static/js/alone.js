// @ts-check
import { names } from "./stream.js";

/**
 * A tab that cannot share, as on plain http in a home network, where browsers
 * have no locks: it has a stream of its own as long as somebody looks at it.
 * It can do what Tabs can.
 */
export class Alone extends EventTarget {
	#stream;
	#joined = false;

	/** @param {import("./stream.js").Stream} stream */
	constructor(stream) {
		super();
		this.#stream = stream;
		for (const name of [...names, "state"]) {
			stream.addEventListener(name, (e) => this.#pass(name, /** @type {CustomEvent} */ (e).detail));
		}
		document.addEventListener("visibilitychange", () => this.#follow());
	}

	/** Connects when somebody looks. */
	join() {
		this.#joined = true;
		this.#follow();
	}

	/** Lets go of the connection. */
	leave() {
		this.#joined = false;
		this.#follow();
	}

	/** Connects now if there is no connection. */
	wake() {
		this.#follow();
	}

	/** The network is back. */
	online() {
		this.#stream.close();
		this.#follow();
	}

	/** The network has gone. */
	offline() {
		if (this.#looked) this.#stream.offline();
	}

	get #looked() {
		return this.#joined && document.visibilityState === "visible";
	}

	#follow() {
		if (this.#looked) return this.#stream.wake();
		this.#stream.close();
		// From now on nobody says whether the page is right.
		this.#pass("state", "reconnecting");
	}

	/**
	 * @param {string} name
	 * @param {any} detail
	 */
	#pass(name, detail) {
		this.dispatchEvent(new CustomEvent(name, { detail }));
	}
}

// @ts-check
import { names } from "./stream.js";

/**
 * A tab that cannot share a stream, as on plain HTTP in a home network, where
 * browsers offer no locks. It has a stream of its own while it is visible. Its
 * methods and events are the same as in Tabs.
 */
export class Alone extends EventTarget {
	#stream;
	#joined = false;
	#look = () => this.#follow();

	/** @param {import("./stream.js").Stream} stream */
	constructor(stream) {
		super();
		this.#stream = stream;
		for (const name of [...names, "state"]) {
			stream.addEventListener(name, (e) => this.#pass(name, /** @type {CustomEvent} */ (e).detail));
		}
	}

	/** Joins: connects whenever the page is visible. */
	join() {
		this.#joined = true;
		document.addEventListener("visibilitychange", this.#look);
		this.#follow();
	}

	/** Closes the connection. */
	leave() {
		this.#joined = false;
		document.removeEventListener("visibilitychange", this.#look);
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
		// Without a stream the page cannot determine whether it is up to date.
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

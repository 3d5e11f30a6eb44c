// @ts-check
import { newer } from "./badge.js";
import { names } from "./stream.js";

/** @typedef {import("./stream.js").Stream} Stream */
/** @typedef {import("./badge.js").Badge} Badge */
/** @typedef {import("./connection.js").State} State */

/**
 * Messages between tabs. `hello` requests the state and the badge from the leader, `wake`
 * makes it connect now.
 * @typedef {{kind: "hello"} | {kind: "wake"} | {kind: "event", name: string, detail: any}} Message
 */

/**
 * Shares one stream among all tabs of one user in one browser, because a browser
 * allows only six connections to a host. The tab that holds the lock leads: it has
 * the stream and passes its events on. Every tab, the leader too, gets the events
 * of Stream from here.
 */
export class Tabs extends EventTarget {
	/** @type {(() => void) | undefined} */ #undo; // defined while it takes part
	/** @type {BroadcastChannel | undefined} */ #channel;
	/** @type {State | undefined} */ #state;
	/** @type {Badge | undefined} */ #badge;
	#leads = false;
	#name;
	#stream;
	#locks;

	/**
	 * @param {string} user tabs of other users receive nothing
	 * @param {Stream} stream
	 * @param {LockManager} [locks]
	 */
	constructor(user, stream, locks = navigator.locks) {
		super();
		this.#name = `carillon:${user}`;
		this.#stream = stream;
		this.#locks = locks;
		for (const name of [...names, "state"]) {
			stream.addEventListener(name, (e) => this.#dispatch(name, /** @type {CustomEvent} */ (e).detail));
		}
	}

	/** Whether this tab has the stream. */
	get leads() {
		return this.#leads;
	}

	/** Joins: listens, and waits for its turn to lead. */
	join() {
		if (this.#undo) return;
		const channel = new BroadcastChannel(this.#name);
		const turn = new AbortController();
		/** @type {() => void} */ let release = () => {};
		const held = new Promise((resolve) => (release = () => resolve(undefined)));
		this.#channel = channel;
		this.#undo = () => {
			turn.abort();
			release();
			channel.close();
		};
		channel.onmessage = (e) => this.#hear(e.data);
		channel.postMessage({ kind: "hello" });
		this.#locks
			.request(this.#name, { signal: turn.signal }, () => {
				if (turn.signal.aborted) return; // it left in the meantime
				this.#lead();
				return held;
			})
			.catch(() => {
				// The tab left before its turn came. If not, locks are denied: two streams are
				// better than none.
				if (!turn.signal.aborted) this.#lead();
			});
	}

	#lead() {
		this.#leads = true;
		this.#stream.open();
	}

	/** Releases everything: a page kept in the browser's history must hold nothing. */
	leave() {
		if (!this.#undo) return;
		this.#undo();
		this.#undo = this.#channel = undefined;
		this.#leads = false;
		this.#stream.close();
		// Without a stream the page cannot determine whether it is up to date.
		this.#pass("state", "reconnecting");
	}

	/** Connects now if there is no connection, in any leading tab. */
	wake() {
		if (this.#leads) this.#stream.wake();
		else this.#channel?.postMessage({ kind: "wake" });
	}

	/** The network is back. */
	online() {
		if (this.#leads) this.#stream.open();
	}

	/** The network has gone. */
	offline() {
		if (this.#leads) this.#stream.offline();
	}

	/**
	 * Passes an event of the stream on to all tabs.
	 * @param {string} name
	 * @param {any} detail
	 */
	#dispatch(name, detail) {
		if (!this.#leads) return;
		this.#channel?.postMessage({ kind: "event", name, detail });
		this.#pass(name, detail);
	}

	/** @param {Message} message */
	#hear(message) {
		if (message.kind === "event") this.#pass(message.name, message.detail);
		else if (this.#leads && message.kind === "wake") this.#stream.wake();
		else if (this.#leads) this.#greet();
	}

	/** Answers a tab that joined late. All tabs receive the answer, which is harmless. */
	#greet() {
		// A user who opens a page is signed in, so reconnecting is worth a try.
		if (this.#state !== "live") this.#stream.wake();
		if (this.#state && this.#state !== "signed-out") this.#dispatch("state", this.#state);
		if (this.#badge) this.#dispatch("badge", this.#badge);
	}

	/**
	 * @param {string} name
	 * @param {any} detail
	 */
	#pass(name, detail) {
		if (name === "state") {
			if (detail === this.#state) return;
			this.#state = detail;
		}
		if (name === "badge") this.#badge = this.#badge ? newer(this.#badge, detail) : detail;
		this.dispatchEvent(new CustomEvent(name, { detail }));
	}
}

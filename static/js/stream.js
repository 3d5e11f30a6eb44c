// @ts-check
import { timer } from "./clock.js";

/** The readyState of a source that does not reconnect by itself. */
export const closed = 2;

/** The events of the stream that are passed on, as the server names them. */
export const names = [
	"badge", "notice", "changed", "read", "unread", "removed",
	"announcement", "announcement_read", "announcement_unread", "announcement_removed",
	"toast",
];

/** The events about rows of the inbox, which carry its version. */
export const inboxNames = ["notice", "changed", "read", "unread", "removed"];

/** The events about announcements. */
export const announcementNames = /* @__PURE__ */ names.filter((name) => name.startsWith("announcement"));

/**
 * Returns the ms to wait after this many failures. Full jitter: after an outage the
 * clients do not all reconnect together.
 * @param {number} failures
 * @param {number} random from 0 to 1
 */
export function backoff(failures, random) {
	const shortestWait = 250; // ms between two attempts
	const longestWait = 30_000;
	const most = Math.min(longestWait, 1000 * 2 ** failures);
	return shortestWait + random * (most - shortestWait);
}

/**
 * One event stream that reconnects by itself. EventSource does not retry after a 503 and
 * gives no reason for a failure, so every attempt is a new EventSource.
 *
 * Dispatches each event of the server as a CustomEvent with its data and its
 * `ver`, and `state`: "live", "reconnecting", "offline" or "signed-out".
 */
export class Stream extends EventTarget {
	/** @type {EventSource | null} */ #source = null;
	/** @type {(() => void) | undefined} */ #callOff;
	#attempt = 0; // the number of the current attempt
	#failures = 0; // since the last event
	#url;
	#make;
	#time;
	#signedOut;

	/**
	 * @param {string} url
	 * @param {(url: string) => EventSource} [make]
	 * @param {Pick<import("./clock.js").Clock, "random" | "after">} [time]
	 * @param {(url: string) => Promise<boolean>} [signedOut] called after a refusal: reports whether no user is signed in
	 */
	constructor(url, make = (url) => new EventSource(url), time = timer, signedOut = async () => false) {
		super();
		this.#url = url;
		this.#make = make;
		this.#time = time;
		this.#signedOut = signedOut;
	}

	/** Connects now, replacing any connection or planned attempt. */
	open() {
		this.close();
		const source = this.#make(this.#url);
		this.#source = source;
		source.onopen = () => this.#say("live");
		// EventSource closes for good, without a reason, on a response that is not a stream.
		source.onerror = () => this.#failed(source.readyState === closed);
		for (const name of names) {
			source.addEventListener(name, (e) => {
				this.#failures = 0;
				this.dispatchEvent(new CustomEvent(name, { detail: { ...JSON.parse(e.data), ver: Number(e.lastEventId) } }));
			});
		}
		// The server is up but cannot reach Redis: it sends another event when that is back.
		source.addEventListener("connection", (e) => {
			this.#failures = 0;
			this.#say(JSON.parse(e.data).state === "live" ? "live" : "reconnecting");
		});
		// The server is about to stop and sends when to reconnect.
		source.addEventListener("bye", (e) => this.#again(Number(JSON.parse(e.data).retry) || this.#wait()));
	}

	/** Connects now unless it is connected or connecting. */
	wake() {
		if (!this.#source) this.open();
	}

	/** Disconnects, and stays silent until it is opened again. */
	close() {
		this.#attempt++;
		this.#callOff?.();
		this.#source?.close();
		this.#source = null;
	}

	/** Reports that the network has gone. The connection may still be alive. */
	offline() {
		this.#say("offline");
	}

	/** @param {boolean} refused */
	#failed(refused) {
		this.#say(navigator.onLine ? "reconnecting" : "offline");
		this.#again(this.#wait(), refused);
	}

	#wait() {
		return backoff(this.#failures++, this.#time.random());
	}

	/**
	 * Reconnects after ms. After a refusal it first checks whether the session has ended:
	 * then there is no reason to reconnect.
	 * @param {number} ms
	 * @param {boolean} [refused]
	 */
	#again(ms, refused = false) {
		this.close();
		const attempt = this.#attempt;
		this.#callOff = this.#time.after(ms, async () => {
			const over = refused && (await this.#signedOut(this.#url));
			if (attempt !== this.#attempt) return; // closed or opened since
			if (over) this.#say("signed-out");
			else this.open();
		});
	}

	/** @param {import("./connection.js").State} state */
	#say(state) {
		this.dispatchEvent(new CustomEvent("state", { detail: state }));
	}
}

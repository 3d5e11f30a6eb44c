// @ts-check
import { clock } from "./clock.js";

/** The events of the stream that are passed on, as the server names them. */
export const names = [
	"badge", "notice", "changed", "read", "unread", "removed",
	"announcement", "announcement_read", "announcement_unread", "announcement_removed",
	"toast",
];

/** Those about rows of the inbox, which are told with its version. */
export const inboxNames = ["notice", "changed", "read", "unread", "removed"];

/** Those about announcements. */
export const announcementNames = names.filter((name) => name.startsWith("announcement"));

const shortestWait = 250; // ms between two attempts
const longestWait = 30_000;

/**
 * How long to wait after so many failures. Full jitter: after an outage not
 * everybody comes back at once.
 * @param {number} failures
 * @param {number} random from 0 to 1
 */
export function backoff(failures, random) {
	const most = Math.min(longestWait, 1000 * 2 ** failures);
	return shortestWait + random * (most - shortestWait);
}

/**
 * One event stream that comes back by itself. EventSource gives up on a 503
 * and tells no reason for any failure, so every attempt is one of its own.
 *
 * Passes on each event of the server as a CustomEvent with its data and its
 * `ver`, and says `state`: "live", "reconnecting", "offline" or "signed-out".
 */
export class Stream extends EventTarget {
	/** @type {EventSource | null} */ #source = null;
	/** @type {(() => void) | undefined} */ #callOff;
	#attempt = 0; // which connection is the current one
	#failures = 0; // since the last event
	#url;
	#make;
	#time;

	/**
	 * @param {string} url
	 * @param {(url: string) => EventSource} [make]
	 * @param {import("./clock.js").Clock} [time]
	 */
	constructor(url, make = (url) => new EventSource(url), time = clock) {
		super();
		this.#url = url;
		this.#make = make;
		this.#time = time;
	}

	/** Connects now, instead of whatever was under way. */
	open() {
		this.close();
		const source = this.#make(this.#url);
		this.#source = source;
		source.onopen = () => this.#say("live");
		// It closes for good on an answer that is no stream, without saying why.
		source.onerror = () => this.#failed(source.readyState === source.CLOSED);
		for (const name of names) {
			source.addEventListener(name, (e) => {
				this.#failures = 0;
				this.dispatchEvent(new CustomEvent(name, { detail: { ...JSON.parse(e.data), ver: Number(e.lastEventId) } }));
			});
		}
		// The server is there, and what it stands on is not: it says when that is back.
		source.addEventListener("connection", (e) => {
			this.#failures = 0;
			this.#say(JSON.parse(e.data).state === "live" ? "live" : "reconnecting");
		});
		// The server is about to stop and says when to come back.
		source.addEventListener("bye", (e) => this.#again(Number(JSON.parse(e.data).retry) || this.#wait()));
	}

	/** Connects now unless it is connected, or about to be. */
	wake() {
		if (!this.#source) this.open();
	}

	/** Says nothing more until it is opened again. */
	close() {
		this.#attempt++;
		this.#callOff?.();
		this.#source?.close();
		this.#source = null;
	}

	/** The network has gone. Whether the connection has is not known yet. */
	offline() {
		this.#say("offline");
	}

	/** @param {boolean} refused */
	#failed(refused) {
		this.#say(navigator.onLine ? "reconnecting" : "offline");
		this.#again(this.#wait(), refused);
	}

	async #signedOut() {
		try {
			return (await fetch(this.#url, { method: "HEAD" })).status === 401;
		} catch {
			return false;
		}
	}

	#wait() {
		return backoff(this.#failures++, this.#time.random());
	}

	/**
	 * Connects in a while. After a refusal it asks first whether that was for
	 * want of a session: then there is nothing to come back for.
	 * @param {number} ms
	 * @param {boolean} [refused]
	 */
	#again(ms, refused = false) {
		this.close();
		const attempt = this.#attempt;
		this.#callOff = this.#time.after(ms, async () => {
			const over = refused && (await this.#signedOut());
			if (attempt !== this.#attempt) return; // closed or opened meanwhile
			if (over) this.#say("signed-out");
			else this.open();
		});
	}

	/** @param {import("./connection.js").State} state */
	#say(state) {
		this.dispatchEvent(new CustomEvent("state", { detail: state }));
	}
}

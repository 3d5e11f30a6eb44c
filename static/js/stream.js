// @ts-check

/** The events of the stream that are passed on, as the server names them. */
const names = ["badge", "notice", "changed", "read", "unread", "removed"];

const longestWait = 30_000; // ms between two attempts

/**
 * One event stream that comes back by itself. EventSource gives up on a 503
 * and tells no reason for any failure, so every attempt is one of its own.
 *
 * Passes on each event of the server as a CustomEvent with its data, and says
 * `state`: "live", "reconnecting", "offline" or "signed-out".
 */
export class Stream extends EventTarget {
	/** @type {EventSource | null} */ #source = null;
	/** @type {number | undefined} */ #timer;
	#attempt = 0; // which connection is the current one
	#failures = 0; // since the last event
	#url;

	/** @param {string} url */
	constructor(url) {
		super();
		this.#url = url;
		// A page that waits in the browser's history must hold no connection.
		addEventListener("pagehide", () => this.#close());
		addEventListener("pageshow", (e) => e.persisted && this.open());
		addEventListener("online", () => this.open());
		addEventListener("offline", () => this.#say("offline"));
	}

	/** Connects now, instead of whatever was under way. */
	open() {
		this.#close();
		const source = new EventSource(this.#url);
		this.#source = source;
		source.onopen = () => this.#say("live");
		// It closes for good on an answer that is no stream, without saying why.
		source.onerror = () => this.#failed(source.readyState === EventSource.CLOSED);
		for (const name of names) {
			source.addEventListener(name, (e) => {
				this.#failures = 0;
				this.dispatchEvent(new CustomEvent(name, { detail: JSON.parse(e.data) }));
			});
		}
		// The server is about to stop and says when to come back.
		source.addEventListener("bye", (e) => this.#again(Number(JSON.parse(e.data).retry) || this.#wait()));
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

	/** Full jitter: after an outage not everybody comes back at once. */
	#wait() {
		const most = Math.min(longestWait, 1000 * 2 ** this.#failures++);
		return 250 + Math.random() * (most - 250);
	}

	/**
	 * Connects in a while. After a refusal it asks first whether that was for
	 * want of a session: then there is nothing to come back for.
	 * @param {number} ms
	 * @param {boolean} [refused]
	 */
	#again(ms, refused = false) {
		this.#close();
		const attempt = this.#attempt;
		this.#timer = setTimeout(async () => {
			const over = refused && (await this.#signedOut());
			if (attempt !== this.#attempt) return; // the page went away meanwhile
			if (over) this.#say("signed-out");
			else this.open();
		}, ms);
	}

	#close() {
		this.#attempt++;
		clearTimeout(this.#timer);
		this.#source?.close();
		this.#source = null;
	}

	/** @param {string} state */
	#say(state) {
		this.dispatchEvent(new CustomEvent("state", { detail: state }));
	}
}

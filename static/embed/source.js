// @ts-check
import { closed } from "../js/stream.js";
import { fresh } from "./fresh.js";
import { headersOf, SignedOut } from "./tokens.js";

/**
 * The part of EventSource that Stream needs, implemented with fetch, because EventSource cannot send the token. It
 * never reconnects by itself.
 */
export class FetchSource extends EventTarget {
	readyState = 0;
	status = 0; // of the response
	/** @type {(() => void) | null} */ onopen = null;
	/** @type {(() => void) | null} */ onerror = null;
	#abort = new AbortController();

	/**
	 * @param {string} url
	 * @param {() => Promise<string>} token
	 */
	constructor(url, token) {
		super();
		void this.#run(url, token);
	}

	close() {
		this.readyState = closed;
		this.#abort.abort();
	}

	/** @param {string} url @param {() => Promise<string>} token */
	async #run(url, token) {
		const silence = 45_000; // ms without a byte, after which the connection is dead: the server sends a heartbeat every 20 s
		/** @type {ReturnType<typeof setTimeout> | undefined} */ let dead;
		try {
			const headers = headersOf(await token());
			const res = await fetch(fresh(url), { headers, signal: this.#abort.signal });
			this.status = res.status;
			if (res.status === 200 && res.body) {
				this.readyState = 1;
				this.onopen?.();
				const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
				for (let rest = ""; ; ) {
					clearTimeout(dead);
					dead = setTimeout(() => this.#abort.abort(), silence);
					const { value, done } = await reader.read();
					if (done) break;
					const events = (rest + value).split("\n\n");
					rest = events.pop() ?? "";
					for (const text of events) this.#dispatch(text);
				}
			}
		} catch (err) {
			// The connection is lost, or no user is signed in.
			if (err instanceof SignedOut) this.status = 401;
		}
		clearTimeout(dead);
		if (this.readyState === closed) return;
		this.readyState = this.readyState === 0 && this.status ? closed : 0; // a response that is not a stream is a refusal
		this.onerror?.();
	}

	/** @param {string} text of one event */
	#dispatch(text) {
		/** @type {Record<string, string | undefined>} */ const fields = {};
		for (const line of text.split("\n")) {
			const [name = "", ...value] = line.split(": ");
			fields[name] = value.join(": ");
		}
		if (fields.event && this.readyState === 1) this.dispatchEvent(new MessageEvent(fields.event, { data: fields.data, lastEventId: fields.id }));
	}
}

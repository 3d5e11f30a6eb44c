// @ts-check
import { timer } from "../js/clock.js";
import { complain } from "./complain.js";

/** Polls while a proxy buffers the event stream. */
export class Polling {
	#off = () => {};
	#run = 0; // a response may arrive after stop
	#ask;
	#after;

	/** @param {() => Promise<void>} ask makes one request @param {Pick<import("../js/clock.js").Clock, "after">} time */
	constructor(ask, { after } = timer) {
		this.#ask = ask;
		this.#after = after;
	}

	/** Starts polling soon, unless stop is called before, because a stream has opened. */
	watch() {
		const buffered = 5_000; // ms after which a stream without an event means that a proxy buffers it
		this.stop();
		this.#off = this.#after(buffered, () => {
			complain("no proxy may buffer /api/v1/me/events");
			void this.#poll(this.#run);
		});
	}

	stop() {
		this.#off();
		this.#run++;
	}

	/** @param {number} run */
	async #poll(run) {
		await this.#ask();
		if (run === this.#run) this.#off = this.#after(30_000, () => void this.#poll(run));
	}
}

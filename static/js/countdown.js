// @ts-check
import { clock } from "./clock.js";

/**
 * Counts down the time that several things have left, and pauses while there is a
 * reason to.
 * @template T
 */
export class Countdown {
	/** @type {Map<T, number>} */ #left = new Map(); // ms
	/** @type {Set<string>} */ #reasons = new Set();
	/** @type {(() => void) | undefined} */ #callOff;
	#since = 0; // when #left was last updated
	#over;
	#time;

	/**
	 * @param {(thing: T) => void} over
	 * @param {import("./clock.js").Clock} [time]
	 */
	constructor(over, time = clock) {
		this.#over = over;
		this.#time = time;
	}

	/** Gives a thing this much time from now on. @param {T} thing @param {number} ms */
	set(thing, ms) {
		this.#change(() => this.#left.set(thing, ms));
	}

	/** Returns the ms that a thing has left. @param {T} thing */
	left(thing) {
		this.#change(() => {});
		return this.#left.get(thing) ?? 0;
	}

	/** @param {T} thing */
	forget(thing) {
		this.#change(() => this.#left.delete(thing));
	}

	/** Pauses for a reason, or ends that pause. @param {string} reason @param {boolean} stands */
	stand(reason, stands) {
		if (stands === this.#reasons.has(reason)) return;
		this.#change(() => (stands ? this.#reasons.add(reason) : this.#reasons.delete(reason)));
	}

	/** @param {() => void} change */
	#change(change) {
		this.#callOff?.();
		this.#callOff = undefined;
		const now = this.#time.now();
		if (this.#reasons.size === 0) {
			for (const [thing, ms] of this.#left) this.#left.set(thing, ms - (now - this.#since));
		}
		this.#since = now;
		change();
		if (this.#reasons.size > 0 || this.#left.size === 0) return;
		this.#callOff = this.#time.after(Math.max(0, Math.min(...this.#left.values())), () => this.#due());
	}

	#due() {
		/** @type {T[]} */ const due = [];
		this.#change(() => {
			for (const [thing, ms] of this.#left) if (ms <= 0) due.push(thing);
			for (const thing of due) this.#left.delete(thing);
		});
		for (const thing of due) this.#over(thing);
	}
}

// @ts-check
import { clock } from "./clock.js";

/**
 * Counts down for several things at once what time they have left, and stands as
 * long as there is a reason to.
 * @template T
 */
export class Countdown {
	/** @type {Map<T, number>} */ #left = new Map(); // ms
	/** @type {Set<string>} */ #reasons = new Set();
	/** @type {(() => void) | undefined} */ #callOff;
	#since = 0; // when what is left was right
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

	/** Gives a thing so much time from now on. @param {T} thing @param {number} ms */
	set(thing, ms) {
		this.#change(() => this.#left.set(thing, ms));
	}

	/** The ms that a thing has left. @param {T} thing */
	left(thing) {
		this.#change(() => {});
		return this.#left.get(thing) ?? 0;
	}

	/** @param {T} thing */
	forget(thing) {
		this.#change(() => this.#left.delete(thing));
	}

	/** Stands for this reason, or not any more. @param {string} reason @param {boolean} stands */
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

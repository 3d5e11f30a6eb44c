// @ts-check

/**
 * The modules' source of time and randomness. Tests pass in another one.
 * @typedef {object} Clock
 * @property {() => number} now monotonic time in ms
 * @property {() => Date} date wall-clock time
 * @property {() => number} random from 0 to 1
 * @property {(ms: number, then: () => void) => (() => void)} after calls then after ms; returns a function that cancels it
 */

/** @type {Pick<Clock, "random" | "after">} */
export const timer = {
	random: () => Math.random(),
	after(ms, then) {
		const timer = setTimeout(then, ms);
		return () => clearTimeout(timer);
	},
};

/** @type {Clock} */
export const clock = { now: () => performance.now(), date: () => new Date(), ...timer };

// @ts-check

/**
 * What modules know of time and chance. Tests hand them another one.
 * @typedef {object} Clock
 * @property {() => number} now ms that only grow
 * @property {() => Date} date what the wall says
 * @property {() => number} random from 0 to 1
 * @property {(ms: number, then: () => void) => (() => void)} after calls then in a while; returns what calls it off
 */

/** @type {Clock} */
export const clock = {
	now: () => performance.now(),
	date: () => new Date(),
	random: () => Math.random(),
	after(ms, then) {
		const timer = setTimeout(then, ms);
		return () => clearTimeout(timer);
	},
};

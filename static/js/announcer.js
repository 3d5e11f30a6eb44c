// @ts-check
import { clock } from "./clock.js";

const quiet = 5000; // ms between two phrases
const moment = 50; // ms: one change may arrive as several events

/** @typedef {string | (() => string)} Phrase a function is called when the phrase is due */

/** @type {((phrase: Phrase, wait?: number) => void) | undefined} */
let speaker;

/**
 * Announces a whole phrase to screen readers, at most one every five seconds. Of
 * several waiting phrases only the last is announced.
 * @param {Phrase} phrase
 * @param {number} [wait] ms to wait, in case there turns out to be less to announce
 */
export function say(phrase, wait) {
	speaker ??= announcer((phrase) => {
		const status = document.getElementById("announcer");
		if (status) status.textContent = phrase;
	});
	speaker(phrase, wait);
}

/**
 * @param {(phrase: string) => void} write
 * @param {import("./clock.js").Clock} [time]
 * @returns {(phrase: Phrase, wait?: number) => void}
 */
export function announcer(write, time = clock) {
	let last = -Infinity;
	/** @type {Phrase | null} */ let waiting = null;
	return (phrase, wait = moment) => {
		const pending = waiting !== null;
		waiting = phrase;
		if (pending) return;
		time.after(Math.max(wait, last + quiet - time.now()), () => {
			last = time.now();
			if (waiting !== null) write(typeof waiting === "string" ? waiting : waiting());
			waiting = null;
		});
	};
}

// @ts-check
import { clock } from "./clock.js";

const quiet = 5000; // ms between two phrases
const moment = 50; // ms: a change comes as several events

/** @typedef {string | (() => string)} Phrase a function is asked when its turn has come */

/** @type {((phrase: Phrase, wait?: number) => void) | undefined} */
let speaker;

/**
 * Says a whole phrase to those who listen to the page instead of looking at it:
 * at most one in five seconds. Of several that wait only the last is said.
 * @param {Phrase} phrase
 * @param {number} [wait] ms in which it may turn out that there is less to say
 */
export function say(phrase, wait) {
	speaker ??= announcer((said) => {
		const status = document.getElementById("announcer");
		if (status) status.textContent = said;
	});
	speaker(phrase, wait);
}

/**
 * @param {(said: string) => void} write
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

// @ts-check
import { clock } from "./clock.js";
import { backoff } from "./stream.js";

const jitter = 1000; // ms: spreads the requests of all tabs when the server is back

/**
 * Requests the current state from the server when a page may have missed something, once
 * the page is visible. After a failure it tries again, with a longer wait each time.
 * @param {() => boolean} here whether the page has anything to update
 * @param {() => Promise<void>} look throws if it must be repeated
 * @param {import("./clock.js").Clock} [time]
 * @returns {() => void} to be called when something was missed
 */
export function lookout(here, look, time = clock) {
	let missed = false;
	let busy = false; // a look is planned or in progress
	let failures = 0;
	document.addEventListener("visibilitychange", plan);

	function plan() {
		if (!here()) missed = false;
		if (!missed || busy || document.visibilityState !== "visible") return;
		busy = true;
		const wait = failures === 0 ? time.random() * jitter : backoff(failures, time.random());
		time.after(wait, async () => {
			await again();
			busy = false;
			plan();
		});
	}

	async function again() {
		if (document.visibilityState !== "visible") return;
		missed = false; // anything missed from now on needs another call of look
		try {
			await look();
			failures = 0;
		} catch {
			missed = true;
			failures++;
		}
	}

	return () => {
		missed = true;
		plan();
	};
}

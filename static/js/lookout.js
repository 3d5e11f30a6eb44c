// @ts-check
import { clock } from "./clock.js";
import { backoff } from "./stream.js";

const jitter = 1000; // ms: not all tabs of a site that comes back ask at once

/**
 * Looks at the server again when a page may have missed something, once
 * somebody looks at the page; and once more, a little later each time, when that
 * did not work.
 * @param {() => boolean} here whether the page has anything to be mended
 * @param {() => Promise<void>} look throws when it has to be repeated
 * @param {import("./clock.js").Clock} [time]
 * @returns {() => void} says that something was missed
 */
export function lookout(here, look, time = clock) {
	let missed = false;
	let busy = false; // a look is planned or under way
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
		missed = false; // what is missed from now on needs another look
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

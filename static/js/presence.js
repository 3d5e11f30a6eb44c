// @ts-check
import { clock } from "./clock.js";

const refresh = 30_000; // ms: the server regards a user as present for a minute after each report
const moment = 500; // ms for another page of the browser to take over

/** Reports to the server whether the user is looking at this browser. */
export class Presence {
	#reported = -Infinity;
	#report;
	#time;

	/**
	 * @param {(visible: boolean) => void} report
	 * @param {import("./clock.js").Clock} [time]
	 */
	constructor(report, time = clock) {
		this.#report = report;
		this.#time = time;
	}

	/** Reports that the user is looking at this page. */
	begin() {
		this.#reported = this.#time.now();
		this.#report(true);
	}

	/** Repeats the report while the user is active. */
	used() {
		if (this.#time.now() - this.#reported >= refresh) this.begin();
	}

	/**
	 * Reports that no page is visible, unless another page takes over within a moment.
	 * @param {() => Promise<boolean>} nobody called then: reports whether no page is visible
	 */
	end(nobody) {
		this.#time.after(moment, async () => {
			if (await nobody()) this.#report(false);
		});
	}
}

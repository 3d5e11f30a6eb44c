// @ts-check
import { clock } from "./clock.js";

const refresh = 30_000; // ms: the server regards a user as present for a minute after each report
const moment = 500; // ms for another page of the browser to take over

/** Tells the server whether the user is looking at this browser. */
export class Presence {
	#told = -Infinity;
	#tell;
	#time;

	/**
	 * @param {(visible: boolean) => void} tell
	 * @param {import("./clock.js").Clock} [time]
	 */
	constructor(tell, time = clock) {
		this.#tell = tell;
		this.#time = time;
	}

	/** Reports that the user is looking at this page. */
	begin() {
		this.#told = this.#time.now();
		this.#tell(true);
	}

	/** Repeats the report while the user is active. */
	used() {
		if (this.#time.now() - this.#told >= refresh) this.begin();
	}

	/**
	 * Reports that no page is visible, unless another page takes over within a moment.
	 * @param {() => Promise<boolean>} nobody asked then: whether no page is visible
	 */
	end(nobody) {
		this.#time.after(moment, async () => {
			if (await nobody()) this.#tell(false);
		});
	}
}

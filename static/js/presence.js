// @ts-check
import { clock } from "./clock.js";

const refresh = 30_000; // ms: the server takes who was active in the last minute for being there
const moment = 500; // ms in which another page of the browser takes over

/** Tells the server whether somebody looks at this browser. */
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

	/** Somebody looks at this page from now on. */
	begin() {
		this.#told = this.#time.now();
		this.#tell(true);
	}

	/** He is still there. */
	used() {
		if (this.#time.now() - this.#told >= refresh) this.begin();
	}

	/**
	 * Nobody looks at a page any more; soon it is known whether it is another's turn.
	 * @param {() => Promise<boolean>} nobody whether nobody looks at any then
	 */
	end(nobody) {
		this.#time.after(moment, async () => {
			if (await nobody()) this.#tell(false);
		});
	}
}

// @ts-check

const yields = 150; // ms for which a visible page without the focus leaves a toast to the page with the focus
const held = 15_000; // ms, longer than the server waits before it sends a toast again
const remembered = 500; // ids

/**
 * Decides for each toast whether this tab shows it: among the visible tabs of a browser, the
 * first to acquire the lock with the toast's name.
 */
export class Taking {
	/** @type {Set<string>} */ #known = new Set();
	#name;

	/** @param {string} name of the user's notices */
	constructor(name) {
		this.#name = name;
	}

	/**
	 * @param {string} id
	 * @param {() => void} show
	 * @param {() => void} again the toast was shown here before: its acknowledgement was lost
	 */
	async take(id, show, again) {
		if (this.#known.has(id)) return again();
		if (document.visibilityState !== "visible") return;
		if (!document.hasFocus()) await new Promise((resolve) => setTimeout(resolve, yields));
		const mine = () => {
			if (this.#known.size === remembered) this.#known.clear();
			this.#known.add(id);
			show();
		};
		if (!("locks" in navigator)) return mine();
		void navigator.locks.request(`${this.#name} toast ${id}`, { ifAvailable: true }, (lock) => {
			if (!lock) return undefined;
			mine();
			return new Promise((resolve) => setTimeout(resolve, held));
		});
	}
}

// @ts-check
import { isVisible } from "./follow.js";

const yields = 150; // ms for which a visible page without the focus leaves a toast to the page with the focus
const held = 15_000; // ms, longer than the server waits before it sends a toast again
const remembered = 500; // ids

/**
 * Returns a function that decides for each toast whether this tab shows it: among the visible tabs of a browser, the
 * first to acquire the lock with the toast's name. It calls again for a toast that was shown here before: its
 * acknowledgement was lost.
 * @param {string} name of the user's notices
 */
export function taking(name) {
	/** @type {Set<string>} */ const known = new Set();
	return async (/** @type {string} */ id, /** @type {() => void} */ show, /** @type {() => void} */ again) => {
		if (known.has(id)) return again();
		if (!isVisible()) return;
		if (!document.hasFocus()) await new Promise((resolve) => setTimeout(resolve, yields));
		const mine = () => {
			if (known.size === remembered) known.clear();
			known.add(id);
			show();
		};
		if (!("locks" in navigator)) return mine();
		void navigator.locks.request(`${name} toast ${id}`, { ifAvailable: true }, (lock) => {
			if (!lock) return undefined;
			mine();
			return new Promise((resolve) => setTimeout(resolve, held));
		});
	};
}

// @ts-check
import { clock } from "./clock.js";

/** @typedef {import("./card.js").Toast} Toast */
/** @typedef {{toast: Toast, left: number}} Left a toast, and the ms it has left */

const longest = 10_000; // ms that a page takes to follow another
const place = "carillon-toasts"; // one for all users: whoever comes next clears it

/**
 * Hands what has time left to the next page of this tab, which may follow at once:
 * it was acknowledged, so it does not come again.
 * @param {Left[]} toasts
 * @param {import("./clock.js").Clock} [time]
 */
export function handOver(toasts, time = clock) {
	if (toasts.length === 0) return;
	try {
		const { user } = document.body.dataset;
		sessionStorage.setItem(place, JSON.stringify({ user, at: time.date().getTime(), toasts }));
	} catch {
		// A browser that keeps nothing: they are gone with the page.
	}
}

/**
 * What the page before has left, once. The inbox shows the rows of its own.
 * @param {import("./clock.js").Clock} [time]
 * @returns {Left[]}
 */
export function takeOver(time = clock) {
	try {
		const text = sessionStorage.getItem(place);
		sessionStorage.removeItem(place);
		const { user, at, toasts } = JSON.parse(text ?? "{}");
		const passed = time.date().getTime() - at;
		if (user !== document.body.dataset.user || !(passed >= 0 && passed < longest)) return [];
		return toasts.filter((/** @type {Left} */ { toast }) => location.pathname !== "/inbox" || !toast.key);
	} catch {
		return [];
	}
}

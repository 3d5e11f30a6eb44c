// @ts-check
import { clock } from "./clock.js";
import { our } from "./mount.js";

/** @typedef {import("./card.js").Toast} Toast */
/** @typedef {{toast: Toast, left: number}} Left a toast, and the ms it has left */

const longest = 10_000; // ms within which the next page of the tab comes
const place = "carillon-toasts"; // one for all users: the next page clears it

/**
 * Hands toasts with time left to the next page of this tab, which may follow immediately:
 * they were acknowledged, so the server does not send them again.
 * @param {Left[]} toasts
 * @param {import("./clock.js").Clock} [time]
 */
export function handOver(toasts, time = clock) {
	if (toasts.length === 0) return;
	try {
		const { user } = document.body.dataset;
		sessionStorage.setItem(place, JSON.stringify({ user, at: time.date().getTime(), toasts }));
	} catch {
		// Without storage the toasts end with the page.
	}
}

/**
 * Returns the previous page's toasts, once; in the inbox without those that have a row there.
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
		return toasts.filter((/** @type {Left} */ { toast }) => location.pathname !== our("/inbox") || !toast.key);
	} catch {
		return [];
	}
}

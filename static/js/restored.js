// @ts-check
import { our } from "./mount.js";

/**
 * Checks a page that comes back from the browser's history, as it was left or as a copy in
 * the browser's cache, even if its user has signed out since. Its content stays hidden until
 * the server has answered.
 * @param {string} user
 */
export function startRestored(user) {
	const check = async () => {
		const main = document.getElementById("main");
		// A form being filled in shows no notices, and must not be lost.
		if (!main || document.getElementById("send")) return;
		main.style.visibility = "hidden";
		if (await ended(user)) location.reload();
		else main.style.visibility = "";
	};
	const [came] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
	if (came?.type === "back_forward") void check();
	addEventListener("pageshow", (e) => e.persisted && void check());
}

/** @param {string} user */
async function ended(user) {
	try {
		const answer = await fetch(our(`/events?user=${encodeURIComponent(user)}`), { method: "HEAD" });
		return answer.status === 401;
	} catch {
		return false; // unknown without a network; the page shows that it is offline
	}
}

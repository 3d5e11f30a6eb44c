// @ts-check
import { Alone } from "./alone.js";
import { Stream } from "./stream.js";
import { Tabs } from "./tabs.js";

/**
 * The events of a user, however this browser can have them: those that stream.js
 * names, with what the server said, and "state". Nothing is said before `start`.
 * @param {string} user
 */
export function live(user) {
	// The page is this user's. When somebody else has signed in since, the server
	// answers that this one is signed out.
	const stream = new Stream(`/events?user=${encodeURIComponent(user)}`);
	const events = canShare() ? new Tabs(user, stream) : new Alone(stream);
	return { events, start: () => follow(events) };
}

function canShare() {
	return typeof BroadcastChannel === "function" && "locks" in navigator;
}

/**
 * Follows the life of the page. One that waits in the browser's history or is
 * frozen runs no code: it must not hold what others wait for.
 * @param {Tabs | Alone} events
 */
function follow(events) {
	addEventListener("pagehide", () => events.leave());
	document.addEventListener("freeze", () => events.leave());
	addEventListener("pageshow", () => events.join());
	document.addEventListener("resume", () => events.join());
	addEventListener("online", () => events.online());
	addEventListener("offline", () => events.offline());
	document.addEventListener("visibilitychange", () => {
		if (document.visibilityState === "visible") events.wake();
	});
	events.join();
}

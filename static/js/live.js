// @ts-check
import { Alone } from "./alone.js";
import { post } from "./post.js";
import { Presence } from "./presence.js";
import { Showing } from "./showing.js";
import { Stream } from "./stream.js";
import { Tabs } from "./tabs.js";

/**
 * The events of a user, however this browser can have them: those that stream.js
 * names, with what the server said, and "state". And whether this is the tab that
 * shows toasts. Nothing is said before `start`.
 * @param {string} user
 */
export function live(user) {
	// The page is this user's. When somebody else has signed in since, the server
	// answers that this one is signed out. It learns whether somebody looks.
	const stream = new Stream(
		`/events?user=${encodeURIComponent(user)}`,
		(url) => new EventSource(document.visibilityState === "visible" ? `${url}&visible=1` : url),
	);
	const [events, locks] = canShare() ? [new Tabs(user, stream), navigator.locks] : [new Alone(stream), undefined];
	const presence = new Presence(whenHeard(events, (visible) => post("/events/active", { visible: visible ? "1" : "0" })));
	return lead(events, new Showing(user, presence, () => !(events instanceof Tabs) || events.leads, locks));
}

/**
 * Tells it when the server can hear it, which it cannot while what it stands on is
 * away: then the last word waits until it sends badges again.
 * @param {EventTarget} events
 * @param {(visible: boolean) => void} tell
 * @returns {(visible: boolean) => void}
 */
function whenHeard(events, tell) {
	let heard = false;
	/** @type {boolean | undefined} */ let waiting;
	events.addEventListener("state", (e) => {
		if (/** @type {CustomEvent} */ (e).detail !== "live") heard = false;
	});
	events.addEventListener("badge", () => {
		heard = true;
		if (waiting !== undefined) tell(waiting);
		waiting = undefined;
	});
	return (visible) => {
		if (heard) tell(visible);
		else waiting = visible;
	};
}

function canShare() {
	return typeof BroadcastChannel === "function" && "locks" in navigator;
}

/**
 * Follows the life of the page. One that waits in the browser's history or is
 * frozen runs no code: it must not hold what others wait for.
 * @param {Tabs | Alone} events
 * @param {Showing} showing
 */
function lead(events, showing) {
	const start = () => {
		const join = () => {
			showing.join(); // first: a toast may be what the stream begins with
			events.join();
		};
		const leave = () => {
			showing.leave();
			events.leave();
		};
		addEventListener("pagehide", leave);
		document.addEventListener("freeze", leave);
		addEventListener("pageshow", join);
		document.addEventListener("resume", join);
		addEventListener("online", () => events.online());
		addEventListener("offline", () => events.offline());
		document.addEventListener("visibilitychange", () => {
			if (document.visibilityState === "visible") events.wake();
		});
		join();
	};
	return { events, showing, start };
}

// @ts-check
import { Alone } from "./alone.js";
import { our } from "./mount.js";
import { post } from "./post.js";
import { Presence } from "./presence.js";
import { Showing } from "./showing.js";
import { Stream } from "./stream.js";
import { Tabs } from "./tabs.js";

/** Requests the reason why a stream was rejected, which EventSource does not provide. @param {string} url */
export async function refused(url) {
	try {
		return (await fetch(url, { method: "HEAD" })).status === 401;
	} catch {
		return false;
	}
}

/**
 * Returns the events of a user, by whichever means this browser has: the events that
 * stream.js names, with the server's data, and "state"; and whether this tab shows
 * toasts. Nothing is dispatched before `start`.
 * @param {string} user
 */
export function live(user) {
	// The page belongs to this user: if another one has signed in since, the server answers that this one is signed
	// out. It also receives whether the page is visible.
	const stream = new Stream(
		our(`/events?user=${encodeURIComponent(user)}`),
		(url) => new EventSource(document.visibilityState === "visible" ? `${url}&visible=1` : url),
		undefined,
		refused,
	);
	const [events, locks] = canShare() ? [new Tabs(user, stream), navigator.locks] : [new Alone(stream), undefined];
	const presence = new Presence(whenHeard(events, (visible) => post(our("/events/active"), { visible: visible ? "1" : "0" })));
	return lead(events, new Showing(user, presence, () => !(events instanceof Tabs) || events.leads, locks));
}

/**
 * Delays `send` until the server can record the call, which is not possible while Redis is unavailable: the latest
 * value then waits until the server sends badges again.
 * @param {EventTarget} events
 * @param {(visible: boolean) => void} send
 * @returns {(visible: boolean) => void}
 */
function whenHeard(events, send) {
	let heard = false;
	/** @type {boolean | undefined} */ let waiting;
	events.addEventListener("state", (e) => {
		if (/** @type {CustomEvent} */ (e).detail !== "live") heard = false;
	});
	events.addEventListener("badge", () => {
		heard = true;
		if (waiting !== undefined) send(waiting);
		waiting = undefined;
	});
	return (visible) => {
		if (heard) send(visible);
		else waiting = visible;
	};
}

function canShare() {
	return typeof BroadcastChannel === "function" && "locks" in navigator;
}

/**
 * Follows the lifecycle of the page. A page that is frozen or kept in the browser's
 * history runs no code, so it must not hold locks that other tabs wait for.
 * @param {Tabs | Alone} events
 * @param {Showing} showing
 */
function lead(events, showing) {
	const start = () => {
		const join = () => {
			showing.join(); // first, because the stream may begin with a toast
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

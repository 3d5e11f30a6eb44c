// @ts-check
import { names, Stream } from "../js/stream.js";
import { Tabs } from "../js/tabs.js";
import { FetchSource } from "./source.js";
import { SignedOut } from "./tokens.js";

/**
 * Follows the events of a user, with one stream for all tabs of the browser, until
 * signal is aborted.
 * @param {string} url of the stream
 * @param {string} name of the user's notices: tabs with another name receive no events
 * @param {import("./tokens.js").Tokens} tokens
 * @param {AbortSignal} signal
 * @param {Record<string, (detail: any, status?: number) => void>} handlers by the name of the event
 * @param {(event: string) => void} heard is called after each event
 */
export function follow(url, name, tokens, signal, handlers, heard) {
	/** @type {FetchSource | undefined} */ let source;
	/** @type {ReturnType<typeof setTimeout> | undefined} */ let renewal;
	// A stream ends soon after its token: it is opened again with the next one before that.
	const renew = async () => {
		if (source?.readyState !== 1 || signal.aborted) return;
		await tokens.get(true).catch(() => {}); // then the stream ends, and its next attempt reports the reason
		if (source.readyState === 1) stream.open();
	};
	const make = (/** @type {string} */ address) => {
		clearTimeout(renewal);
		const refused = source?.status === 401;
		const visible = isVisible() ? "&visible=1" : "";
		const token = async () => {
			const token = await tokens.fresh(refused);
			if (tokens.left) renewal = setTimeout(renew, tokens.left);
			return token;
		};
		return /** @type {any} */ (source = new FetchSource(address + visible, token));
	};
	// The host application decides whether a user is signed in.
	const signedOut = async () =>
		source?.status === 401 &&
		tokens.get(true).then(
			() => false,
			(err) => err instanceof SignedOut,
		);
	const stream = new Stream(url, make, undefined, signedOut);
	// Without locks, as on plain HTTP, each tab has its own stream while it is visible: a browser allows six connections.
	const { locks } = navigator;
	const events = new Tabs(locks ? name : `${Math.random()}`, stream, locks ?? { request: () => Promise.reject() });
	const seen = () => {
		if (!isVisible()) locks || events.leave();
		else events.join(), events.wake();
	};
	for (const event of [...names, "state"]) {
		events.addEventListener(event, (e) => {
			handlers[event]?.(/** @type {CustomEvent} */ (e).detail, source?.status);
			heard(event);
		}, { signal });
	}
	addEventListener("online", () => events.online(), { signal });
	addEventListener("offline", () => events.offline(), { signal });
	addEventListener("pagehide", () => events.leave(), { signal });
	addEventListener("pageshow", (e) => e.persisted && events.join(), { signal });
	document.addEventListener("visibilitychange", seen, { signal });
	signal.addEventListener("abort", () => {
		clearTimeout(renewal);
		events.leave();
	});
	if (locks || isVisible()) events.join();
}

export const isVisible = () => document.visibilityState === "visible";

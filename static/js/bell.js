// @ts-check
import { text } from "./texts.js";

/** @typedef {{unread: number, inbox: number, announcements: number, ver: number, aver: number}} Badge */

const quiet = 5000; // ms between two announcements

/**
 * Keeps the bell, the title and the connection's state right, and says aloud
 * what changed.
 * @param {import("./stream.js").Stream} stream
 */
export function startBell(stream) {
	const bell = /** @type {HTMLElement} */ (document.getElementById("bell"));
	const badge = /** @type {HTMLElement} */ (document.getElementById("badge"));
	const title = document.title.replace(/^\(\d+\) /, "");
	const say = announcer();
	const { inbox, announcements, ver, aver } = bell.dataset;
	/** @type {Badge} What the server last said; each half by its own version. */
	const known = { unread: 0, inbox: Number(inbox), announcements: Number(announcements), ver: Number(ver), aver: Number(aver) };
	known.unread = known.inbox + known.announcements;
	let newest = "";

	stream.addEventListener("notice", (e) => {
		newest = /** @type {CustomEvent} */ (e).detail.title;
	});
	stream.addEventListener("badge", (e) => {
		/** @type {Badge} */ const now = /** @type {CustomEvent} */ (e).detail;
		if (now.ver >= known.ver) [known.inbox, known.ver] = [now.inbox, now.ver];
		if (now.aver >= known.aver) [known.announcements, known.aver] = [now.announcements, now.aver];
		const before = known.unread;
		known.unread = known.inbox + known.announcements;
		show(known.unread);
		if (known.unread !== before) say(() => phrase(known.unread));
	});
	showState(stream);

	/** @param {number} n */
	function show(n) {
		badge.hidden = n === 0;
		badge.textContent = n > 99 ? "99+" : String(n);
		bell.setAttribute("aria-label", n === 0 ? text("bell_none") : text("bell", { Count: n }));
		document.title = n === 0 ? title : `(${n}) ${title}`;
	}

	/** @param {number} n */
	function phrase(n) {
		const unread = n === 0 ? text("unread_none") : text("unread", { Count: n });
		const about = newest;
		newest = "";
		return about && n > 0 ? text("newest", { Unread: unread, Title: about }) : unread;
	}
}

/**
 * Says whole phrases into the status element, at most one in five seconds. Of
 * several that wait only the last is said, and it is made when it is said.
 * @returns {(phrase: () => string) => void}
 */
function announcer() {
	const status = /** @type {HTMLElement} */ (document.getElementById("announcer"));
	let last = -quiet;
	/** @type {(() => string) | null} */ let waiting = null;
	return (phrase) => {
		const pending = waiting !== null;
		waiting = phrase;
		if (pending) return;
		// A moment at least: a change comes as several events.
		setTimeout(() => {
			last = performance.now();
			if (waiting) status.textContent = waiting();
			waiting = null;
		}, Math.max(50, last + quiet - performance.now()));
	};
}

/** @param {import("./stream.js").Stream} stream */
function showState(stream) {
	const state = /** @type {HTMLElement} */ (document.getElementById("connection"));
	/** @type {number | undefined} */ let timer;
	stream.addEventListener("state", (e) => {
		const now = /** @type {CustomEvent} */ (e).detail;
		if (now === "live") {
			clearTimeout(timer);
			timer = undefined;
			state.hidden = true;
		} else if (now === "signed-out") {
			clearTimeout(timer);
			const link = document.createElement("a");
			link.href = `/login?next=${encodeURIComponent(location.pathname + location.search)}`;
			link.textContent = text("sign_in");
			state.replaceChildren(text("signed_out"), " ", link);
			state.hidden = false;
		} else {
			state.textContent = text(now);
			// A quick reconnect is no news.
			timer ??= setTimeout(() => (state.hidden = false), 1500);
		}
	});
}

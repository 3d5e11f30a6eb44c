// @ts-check
import { lookout } from "./lookout.js";
import { look, reconcile } from "./reconcile.js";
import { inInbox, shownVer } from "./rows.js";
import { inboxNames } from "./stream.js";

/**
 * Tracks which changes of the inbox the page has received. Each change has a version,
 * carried by its events and by the badge after them: a badge whose version no
 * event had shows that some were missed, for whatever reason.
 */
export class Seen {
	#badge = 0;
	#row = 0;
	#whole = false; // no event was missed since the last badge

	/** The highest known version of the inbox. */
	get ver() {
		return Math.max(this.#badge, this.#row);
	}

	/** Notes that the stream is interrupted: events may be missed from now on. */
	pause() {
		this.#whole = false;
	}

	/** @param {number} ver of an event about a row */
	row(ver) {
		this.#row = Math.max(this.#row, ver);
	}

	/**
	 * @param {number} ver
	 * @param {number} shown the version of the inbox in the page
	 * @returns {boolean} whether events were missed
	 */
	badge(ver, shown) {
		const known = Math.max(this.#badge, shown, this.#whole ? this.#row : 0);
		this.#badge = Math.max(this.#badge, ver);
		this.#whole = true;
		return ver > known;
	}
}

/**
 * Fetches the inbox again when the page has missed events, once the page is
 * visible.
 * @param {EventTarget} stream
 * @param {(arrived: Map<string, number>) => void} found called with the entries that arrived since the page was rendered, key → at
 * @param {import("./clock.js").Clock} [time]
 * @param {import("./reconcile.js").Fetch} [get]
 * @returns {() => void} to be called when the page must be checked again
 */
export function startCatchUp(stream, found, time, get) {
	const seen = new Seen();
	const missed = lookout(inInbox, catchUp, time);

	for (const name of inboxNames) {
		stream.addEventListener(name, (e) => seen.row(/** @type {CustomEvent} */ (e).detail.ver));
	}
	stream.addEventListener("badge", (e) => {
		if (seen.badge(/** @type {CustomEvent} */ (e).detail.ver, shownVer())) missed();
	});
	stream.addEventListener("state", (e) => {
		if (/** @type {CustomEvent} */ (e).detail !== "live") seen.pause();
	});

	async function catchUp() {
		const parts = await look(get);
		if (!parts || !inInbox()) return; // signed out, or the reader is now in the archive
		// A page older than the received events would undo them.
		if (parts.some(({ ver }) => ver < seen.ver)) throw new Error("the page is older than its events");
		found(reconcile(parts));
	}

	return missed;
}

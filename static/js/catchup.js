// @ts-check
import { lookout } from "./lookout.js";
import { look, reconcile } from "./reconcile.js";
import { inInbox, shownVer } from "./rows.js";
import { inboxNames } from "./stream.js";

/**
 * What the page knows of the inbox's changes. Each change has a version, which
 * its events carry and the badge after them: a badge that no event of its
 * version came before tells that some were missed, for whatever reason.
 */
export class Seen {
	#badge = 0;
	#row = 0;
	#whole = false; // nothing was missed between the last badge and now

	/** The version of the inbox, as far as it is known. */
	get ver() {
		return Math.max(this.#badge, this.#row);
	}

	/** Nobody listens. What is heard next may not be what comes next. */
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
 * Looks at the inbox when the page has missed events, once somebody looks at
 * the page.
 * @param {EventTarget} stream
 * @param {(arrived: Map<string, number>) => void} found gets what has come since the page was made
 * @param {import("./clock.js").Clock} [time]
 * @param {import("./reconcile.js").Fetch} [get]
 * @returns {() => void} says that the page is to be looked at again
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
		if (!parts) return;
		// What is older than what was heard meanwhile would undo it.
		if (parts.some(({ ver }) => ver < seen.ver)) throw new Error("the page is older than its events");
		found(reconcile(parts));
	}

	return missed;
}

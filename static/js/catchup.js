// @ts-check
import { clock } from "./clock.js";
import { look, reconcile } from "./reconcile.js";
import { inInbox, shownVer } from "./rows.js";
import { backoff, names } from "./stream.js";

const jitter = 1000; // ms: not all tabs of a site that comes back ask at once

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
 */
export function startCatchUp(stream, found, time = clock, get) {
	const seen = new Seen();
	let missed = false;
	let busy = false; // a look is planned or under way
	let failures = 0;

	for (const name of names.filter((name) => name !== "badge")) {
		stream.addEventListener(name, (e) => seen.row(/** @type {CustomEvent} */ (e).detail.ver));
	}
	stream.addEventListener("badge", (e) => {
		if (seen.badge(/** @type {CustomEvent} */ (e).detail.ver, shownVer())) missed = true;
		plan();
	});
	stream.addEventListener("state", (e) => {
		if (/** @type {CustomEvent} */ (e).detail !== "live") seen.pause();
	});
	document.addEventListener("visibilitychange", plan);

	function plan() {
		if (!inInbox()) missed = false;
		if (!missed || busy || document.visibilityState !== "visible") return;
		busy = true;
		const wait = failures === 0 ? time.random() * jitter : backoff(failures, time.random());
		time.after(wait, async () => {
			await catchUp();
			busy = false;
			plan();
		});
	}

	async function catchUp() {
		if (document.visibilityState !== "visible") return;
		try {
			const parts = await look(get);
			missed = false;
			if (!parts) return;
			// What is older than what was heard meanwhile would undo it.
			if (parts.some(({ ver }) => ver < seen.ver)) throw new Error("the page is older than its events");
			found(reconcile(parts));
			failures = 0;
		} catch {
			missed = true;
			failures++;
		}
	}
}

// @ts-check
import { Cards } from "./cards.js";
import { clock } from "./clock.js";
import { handOver, takeOver } from "./handover.js";
import { place } from "./place.js";
import { startReader } from "./reader.js";

/** @typedef {import("./card.js").Toast} Toast */
/** @typedef {import("./showing.js").Showing} Showing */

const keep = 5000; // ms: the server sends a toast again that no tab has shown by then
const moment = 20; // ms: toasts that arrive together are acknowledged together
const mostIds = 200; // in one acknowledgement
const remembered = 1000; // ids of shown toasts that are kept

/**
 * Shows toasts when it is this tab's turn, and acknowledges them to the server. A
 * toast already shown in this browser is only acknowledged once more: the server
 * did not get the first acknowledgement.
 * @param {EventTarget} stream
 * @param {Showing} showing
 * @param {(ids: string[]) => void} ack
 * @param {import("./clock.js").Clock} [time]
 */
export function startToasts(stream, showing, ack, time = clock) {
	const region = document.getElementById("popups");
	const list = region?.querySelector("ol");
	const voice = document.getElementById("popups-voice");
	if (!region || !list || !voice) return;
	const cards = new Cards(region, list, voice, time);
	/** @type {Set<string>} */ const known = new Set(); // ids that were shown, the oldest first
	/** @type {{toast: Toast, came: number}[]} */ let waiting = []; // while it is another tab's turn
	/** @type {string[]} */ let unsent = []; // ids that are about to be acknowledged
	startReader(region, cards);
	document.addEventListener("focusin", () => place(region));
	document.addEventListener("carillon:panel", () => cards.forget(({ notice }) => notice !== undefined)); // the panel lists it

	stream.addEventListener("toast", (e) => {
		const toast = /** @type {CustomEvent<Toast>} */ (e).detail;
		if (showing.here) take(toast);
		else if (showing.waits) waiting = [...recent(), { toast, came: time.now() }];
	});
	showing.addEventListener("begin", () => {
		const rest = recent();
		waiting = [];
		for (const { toast } of rest) if (ids(toast).some((id) => !known.has(id))) take(toast);
	});
	showing.addEventListener("shown", (e) => learn(/** @type {CustomEvent<string[]>} */ (e).detail));
	stream.addEventListener("state", (e) => {
		if (/** @type {CustomEvent} */ (e).detail === "signed-out") cards.forget(() => true);
	});
	addEventListener("pagehide", () => {
		flush();
		handOver(cards.left, time);
		cards.forget(() => true);
	});
	const resume = () => {
		for (const left of takeOver(time)) cards.resume(left);
		place(region);
	};
	addEventListener("pageshow", (e) => e.persisted && resume());
	resume();

	/** @param {string} name @param {(about: any) => (toast: Toast) => boolean} is */
	const gone = (name, is) => stream.addEventListener(name, (e) => cards.forget(is(/** @type {CustomEvent} */ (e).detail)));
	gone("read", ({ keys, upto }) => ({ key, at = Infinity }) => key !== undefined && (keys ? keys.includes(key) : at <= Number(upto)));
	gone("removed", (about) => ({ key }) => key === about.key);
	gone("announcement_read", (about) => ({ key, notice }) => key === undefined && notice !== undefined && (about.all || about.ids?.map(Number).includes(notice)));
	gone("announcement_removed", (about) => ({ key, notice }) => key === undefined && notice === Number(about.id));
	stream.addEventListener("changed", (e) => {
		const { key, title, body = "", link = "" } = /** @type {CustomEvent<Toast>} */ (e).detail;
		if (title) cards.amend((toast) => toast.key !== undefined && toast.key === key, { title, body, link });
	});

	/** @param {Toast} toast */
	function take(toast) {
		const fresh = ids(toast).filter((id) => !known.has(id));
		learn(ids(toast));
		showing.share(ids(toast));
		if (fresh.length > 0) {
			cards.forget(({ key }) => key !== undefined && key === toast.key); // an older toast of the same row
			cards.show(toast.more ? { ...toast, more: toast.more - (ids(toast).length - fresh.length) } : toast);
			if (region) place(region);
			document.dispatchEvent(new CustomEvent("carillon:toast", { detail: toast.notice }));
		}
		if (unsent.length === 0) time.after(moment, flush);
		unsent.push(...ids(toast));
	}

	/** @param {string[]} shown */
	function learn(shown) {
		for (const id of shown) known.add(id);
		for (const id of known) {
			if (known.size <= remembered) break;
			known.delete(id);
		}
	}

	function flush() {
		while (unsent.length > 0) ack(unsent.splice(0, mostIds));
	}

	function recent() {
		return waiting.filter(({ came }) => time.now() - came < keep);
	}
}

/** @param {Toast} toast */
function ids({ id }) {
	return id.split(",");
}

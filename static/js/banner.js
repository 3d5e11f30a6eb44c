// @ts-check
import { clock } from "./clock.js";
import { htmx } from "./htmx.js";
import { our } from "./mount.js";

const spread = 5000; // ms: all readers of an announcement receive a change together; this spreads their requests

/** The element that holds the banner; it is on every page, and hidden when empty. */
const place = () => document.getElementById("pinned");

/**
 * Keeps the banner of pinned announcements up to date without moving the text
 * being read. A banner that was read elsewhere or has ended becomes invisible but
 * keeps its space. Its successor is fetched once that space is out of sight, or
 * comes with the next page.
 * @param {EventTarget} stream
 * @param {import("./clock.js").Clock} [time]
 * @param {() => Promise<void>} [ask]
 * @returns {() => void} to be called when events were missed
 */
export function startBanner(stream, time = clock, ask = askAgain) {
	let stale = false;
	let busy = false; // a request is planned or in progress
	addEventListener("scroll", plan, { passive: true });
	document.addEventListener("visibilitychange", plan);

	/** @param {string} name @param {(shown: boolean, detail: any) => void} handle shown: the event is about the banner on display */
	const on = (name, handle) =>
		stream.addEventListener(name, (e) => {
			const { detail } = /** @type {CustomEvent} */ (e);
			const ids = detail.all ? [place()?.dataset.id] : (detail.ids ?? [detail.id]);
			handle(ids.map(String).includes(place()?.dataset.id ?? ""), detail);
		});
	on("announcement", (shown, { pinned }) => {
		if (shown || pinned) missed();
	});
	for (const name of ["announcement_read", "announcement_removed"]) {
		on(name, (shown) => {
			if (!shown) return;
			fade();
			missed();
		});
	}
	on("announcement_unread", missed); // it may be pinned

	function missed() {
		stale = true;
		plan();
	}

	function plan() {
		if (!stale || busy || !outOfSight()) return;
		busy = true;
		time.after(time.random() * spread, async () => {
			busy = false;
			if (!stale || !outOfSight()) return;
			stale = false;
			const anchor = document.querySelector("main");
			const before = anchor?.getBoundingClientRect().top ?? 0;
			await ask();
			// Keep the text in place in browsers without scroll anchoring too.
			const moved = (anchor?.getBoundingClientRect().top ?? 0) - before;
			if (document.visibilityState === "visible" && scrollY > 0 && moved !== 0) scrollBy({ top: moved, behavior: "instant" });
		});
	}

	return missed;
}

function outOfSight() {
	const banner = place();
	if (!banner) return false;
	return document.visibilityState === "hidden" || banner.getBoundingClientRect().bottom < 0 || (banner.hidden && scrollY > 0 && aboveIsGone(banner));
}

/** An empty element has no box: it ends where its next sibling begins. @param {Element} banner */
function aboveIsGone(banner) {
	return (banner.nextElementSibling?.getBoundingClientRect().top ?? 0) < 0;
}

/** Makes the banner invisible but keeps its space. */
function fade() {
	const banner = place();
	if (!banner || banner.hidden) return;
	if (banner.contains(document.activeElement)) document.querySelector("main")?.focus({ preventScroll: true });
	banner.dataset.gone = "true";
}

async function askAgain() {
	const banner = place();
	if (banner) await htmx()?.ajax("GET", our("/announcements/pinned"), { target: banner, swap: "outerHTML" });
}

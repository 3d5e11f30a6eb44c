// @ts-check
import { clock } from "./clock.js";
import { htmx } from "./htmx.js";

const spread = 5000; // ms: all who read the same announcement are told at once, and do not ask at once

/** The place of the banner; it is on every page, and hidden when it is empty. */
const place = () => document.getElementById("pinned");

/**
 * Keeps the banner of pinned announcements true without moving what is read:
 * one that is read elsewhere or over disappears and leaves its room, and what
 * comes instead is asked for when its place is out of sight. Else it comes with
 * the next page.
 * @param {EventTarget} stream
 * @param {import("./clock.js").Clock} [time]
 * @param {() => Promise<void>} [ask]
 * @returns {() => void} says that something was missed
 */
export function startBanner(stream, time = clock, ask = askAgain) {
	let stale = false;
	let busy = false; // it is about to be asked for
	addEventListener("scroll", plan, { passive: true });
	document.addEventListener("visibilitychange", plan);

	/** @param {string} name @param {(shown: boolean, detail: any) => void} handle told whether it is about the one that is shown */
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
	on("announcement_unread", missed); // it may be a pinned one

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
			// What is read stays where it is, also where the browser does not see to it.
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

/** An empty place has no box: it ends where what follows it begins. @param {Element} banner */
function aboveIsGone(banner) {
	return (banner.nextElementSibling?.getBoundingClientRect().top ?? 0) < 0;
}

/** Makes the banner invisible; its room stays. */
function fade() {
	const banner = place();
	if (!banner || banner.hidden) return;
	if (banner.contains(document.activeElement)) document.querySelector("main")?.focus({ preventScroll: true });
	banner.dataset.gone = "true";
}

async function askAgain() {
	const banner = place();
	if (banner) await htmx()?.ajax("GET", "/announcements/pinned", { target: banner, swap: "outerHTML" });
}

// @ts-check
import { say } from "./announcer.js";
import { htmx } from "./htmx.js";
import { lookout } from "./lookout.js";
import { text } from "./texts.js";

/** @typedef {(address: string) => Promise<string | null>} Fetch a page as text; null when the user is signed out */

/** The warning that a part of the page is a stored copy; null when the page is current. */
const place = () => document.getElementById("stale");

/**
 * Replaces a part of the page that is a stored copy, because the server could not
 * reach Redis, by the current one as soon as that is available. A reader further down
 * keeps their place.
 * @param {EventTarget} stream
 * @param {import("./clock.js").Clock} [time]
 * @param {Fetch} [get]
 */
export function startStale(stream, time, get = fetchPage) {
	let live = false;
	const back = lookout(() => live && place() !== null, look, time);
	stream.addEventListener("state", (e) => {
		live = /** @type {CustomEvent} */ (e).detail === "live";
		if (live) back();
	});

	async function look() {
		const { part, address } = place()?.dataset ?? {};
		if (!live || !part || !address) return;
		const answer = await get(address);
		const old = document.querySelector(part);
		if (!answer || !old) return;
		const page = new DOMParser().parseFromString(answer, "text/html");
		// Another user may have signed in in another tab.
		if (page.body.dataset.user !== document.body.dataset.user) return;
		if (page.getElementById("stale") || !page.querySelector(part)) throw new Error("it is not back yet");
		replace(old, part, answer);
	}
}

/**
 * @param {Element} old
 * @param {string} part
 * @param {string} answer
 */
function replace(old, part, answer) {
	const within = old.contains(document.activeElement);
	const row = document.activeElement?.closest(".row")?.id;
	const read = row ?? firstShown(old)?.id ?? "";
	const before = topOf(read);
	const told = over();
	htmx()?.swap(old, answer, { swapStyle: "outerHTML" }, { select: part });
	document.querySelector(part)?.prepend(told);
	const moved = topOf(read) - before;
	if (moved !== 0) scrollBy({ top: moved, behavior: "instant" });
	if (within) (document.getElementById(row ?? "") ?? document.querySelector("h1"))?.focus({ preventScroll: true });
	say(told.textContent?.trim() ?? "");
}

/** Builds the message that replaces the warning, at the same height, so that nothing moves. */
function over() {
	const warning = place();
	const told = document.createElement("div");
	told.className = "stale";
	const banner = warning?.querySelector(".banner")?.cloneNode(true);
	if (!(banner instanceof HTMLElement)) return told;
	banner.classList.replace("warn", "info");
	delete banner.dataset.testid;
	const icon = banner.querySelector("use");
	icon?.setAttribute("href", (icon.getAttribute("href") ?? "").replace(/#.*/, "#info"));
	const p = banner.querySelector("p");
	if (p) p.textContent = text("stale_over");
	told.style.minHeight = `${warning?.offsetHeight ?? 0}px`;
	told.append(banner);
	return told;
}

/** @param {string} id */
function topOf(id) {
	return document.getElementById(id)?.getBoundingClientRect().top ?? 0;
}

/**
 * Returns the first row in the viewport.
 * @param {Element} part
 */
function firstShown(part) {
	return [...part.querySelectorAll(".row")].find((row) => row.getBoundingClientRect().bottom > 0);
}

/** @type {Fetch} */
async function fetchPage(address) {
	const answer = await fetch(address);
	if (answer.redirected) return null; // signed out
	if (!answer.ok) throw new Error(`status ${answer.status}`);
	return answer.text();
}

// @ts-check
import { startAnnouncement } from "./announcement.js";
import { startAnnouncements } from "./announcements.js";
import { badgeOf } from "./badge.js";
import { startBanner } from "./banner.js";
import { lookout } from "./lookout.js";
import { idOf, posts } from "./posts.js";
import { announcementNames } from "./stream.js";

/**
 * Something on a page that shows announcements: whether it is there, and how it
 * becomes what the server says now. `open` are the rows of all open ones by id.
 * @typedef {{here: () => boolean, mend: (open: Map<string, HTMLElement>) => void}} Part
 */

/**
 * How a page of the list is fetched; null when it is not this user's any more.
 * @typedef {(address: string) => Promise<Document | null>} Fetch
 */

const mostPages = 10;

/**
 * Keeps all that a page shows of announcements true. Each change of what is open
 * or read has a version, which the badge after its events carries: a badge that
 * no event came before tells that some were missed, and then the page looks at
 * the list again.
 * @param {EventTarget} stream
 * @param {import("./clock.js").Clock} [time]
 * @param {Fetch} [get]
 */
export function startPosts(stream, time, get = fetchPage) {
	const parts = [startAnnouncement(stream), startAnnouncements(stream, () => missed())];
	const bannerMissed = startBanner(stream, time);
	const missed = lookout(() => parts.some((part) => part.here()), look, time);
	const bell = document.getElementById("bell");
	let known = bell ? badgeOf(bell).aver : 0;
	let heard = false; // an event since the last badge
	let whole = false; // nothing was missed between the last badge and now

	for (const name of announcementNames) stream.addEventListener(name, () => (heard = true));
	stream.addEventListener("badge", (e) => {
		const { aver } = /** @type {CustomEvent} */ (e).detail;
		if (aver > known && !(heard && whole)) {
			missed();
			bannerMissed();
		}
		known = Math.max(known, aver);
		heard = false;
		whole = true;
	});
	// What an action of this page has done is in the page.
	document.addEventListener("carillon:badge", (e) => {
		known = Math.max(known, /** @type {CustomEvent} */ (e).detail.aver ?? 0);
	});
	stream.addEventListener("state", (e) => {
		if (/** @type {CustomEvent} */ (e).detail !== "live") whole = false;
	});

	async function look() {
		/** @type {Map<string, HTMLElement>} */ const open = new Map();
		const heardOf = known;
		for (let address = "/announcements", n = 0; address && n < mostPages; n++) {
			const page = await get(address);
			if (!page) return;
			if (averOf(page) < known) throw new Error("the page is older than its events");
			for (const row of posts(page)) open.set(idOf(row), row);
			address = page.querySelector('#pager a[rel="next"]')?.getAttribute("href") ?? "";
		}
		if (known > heardOf) throw new Error("something changed between two pages");
		for (const part of parts.filter((part) => part.here())) part.mend(open);
	}
}

/** @param {Document} page */
function averOf(page) {
	return Number(page.getElementById("bell")?.dataset.aver ?? 0);
}

/** @type {Fetch} */
async function fetchPage(address) {
	const answer = await fetch(address);
	if (answer.redirected) return null; // signed out
	if (!answer.ok) throw new Error(`status ${answer.status}`);
	const page = new DOMParser().parseFromString(await answer.text(), "text/html");
	// Somebody else may have signed in in another tab.
	return page.body.dataset.user === document.body.dataset.user ? page : null;
}

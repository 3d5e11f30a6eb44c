// @ts-check
import { startAnnouncement } from "./announcement.js";
import { startAnnouncements } from "./announcements.js";
import { badgeOf } from "./badge.js";
import { startBanner } from "./banner.js";
import { lookout } from "./lookout.js";
import { our } from "./mount.js";
import { idOf, posts } from "./posts.js";
import { announcementNames } from "./stream.js";

/**
 * A part of a page that shows announcements: whether the page has it, and how to
 * bring it up to date. `open` holds the rows of all open announcements by id.
 * @typedef {{here: () => boolean, mend: (open: Map<string, HTMLElement>) => void}} Part
 */

/**
 * Fetches a page of the list; null when it no longer belongs to this user.
 * @typedef {(address: string) => Promise<Document | null>} Fetch
 */

const mostPages = 10;

/**
 * Keeps everything that a page shows of announcements up to date. Each change to
 * the open announcements or to their read state has a version, carried by the badge
 * after its events: a badge that no event preceded shows that some were missed, and
 * then the page fetches the list again.
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
	let whole = false; // no event was missed since the last badge

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
	// The page already shows the results of its own actions.
	document.addEventListener("carillon:badge", (e) => {
		known = Math.max(known, /** @type {CustomEvent} */ (e).detail.aver ?? 0);
	});
	stream.addEventListener("state", (e) => {
		if (/** @type {CustomEvent} */ (e).detail !== "live") whole = false;
	});

	async function look() {
		/** @type {Map<string, HTMLElement>} */ const open = new Map();
		const heardOf = known;
		for (let address = our("/announcements"), n = 0; address && n < mostPages; n++) {
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
	// Another user may have signed in in another tab.
	return page.body.dataset.user === document.body.dataset.user ? page : null;
}

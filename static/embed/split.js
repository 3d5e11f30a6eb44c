// @ts-check
import { make } from "./dom.js";
import { narrow } from "./narrow.js";

/** @typedef {import("./element.js").CarillonElement} CarillonElement */
/** @typedef {import("./feed.js").Feed} Feed */

/** The tabs of a bell's panel, and which one is chosen. @type {WeakMap<Feed, {tabs: HTMLElement[], chosen: string}>} */ const known = new WeakMap();

/**
 * Shows in the panel of a bell the tabs of all rows and of the unread ones. These are loaded on their own, because they may be older than
 * those that the bell has.
 * @param {CarillonElement} el @param {Feed} feed @param {HTMLElement} panel @param {number | null} unread @param {new () => import("./snapshot.js").Known} Known @param {() => void} draw
 */
export function split(el, feed, panel, unread, Known, draw) {
	const of = known.get(feed) ?? { tabs: [], chosen: "all" };
	if (!known.has(feed)) {
		known.set(feed, of);
		const whole = feed.client;
		const choose = (/** @type {string} */ name) => {
			if (feed.client !== whole) feed.client.close(); // the unread rows alone
			feed.client = whole;
			of.chosen = name;
			if (name === "unread" && el.client) {
				feed.client = narrow(el, el.client, new Known());
				el.atEnd(feed.client.subscribe(draw));
				void feed.try(feed.client.load({ filter: name })).then((done) => {
					el.failed = !done;
					draw();
				});
			}
			draw();
		};
		of.tabs = ["all", "unread"].map((name) => el.button(`tab_${name}`, () => choose(name), { class: "action tab", part: "tab", "data-tab": name }));
		panel.querySelector(".head > .action")?.before(make("div", { class: "tabs", part: "tabs", role: "group" }, ...of.tabs));
		panel.addEventListener("toggle", () => of.chosen === "all" || panel.matches(":popover-open") || choose("all"));
	}
	tally(el, of.tabs, unread);
	for (const tab of of.tabs) tab.setAttribute("aria-pressed", String(tab.dataset.tab === of.chosen));
}

/** Shows in the tab unread how much is unread. @param {CarillonElement} el @param {HTMLElement[]} tabs @param {number | null} unread */
export function tally(el, tabs, unread) {
	const tab = tabs.find((tab) => tab.dataset.tab === "unread");
	tab?.replaceChildren(el.text("tab_unread"), ...(unread ? [" ", make("span", { class: "tally" }, unread.toLocaleString(el.language))] : []));
}

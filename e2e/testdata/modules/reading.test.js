// @ts-check
import { startReading } from "../../../static/js/reading.js";
import { equal, test, until } from "./check.js";
import { look } from "./fakes.js";

/** @type {string[]} */ let posted = [];
window.fetch = async (path, how) => {
	posted.push(`${path} ${how?.body}`);
	return new Response();
};
startReading();

/** @param {string} key @param {string} state */
const row = (key, state) => `<li class="row" data-testid="entry" data-key="${key}" data-at="1" data-state="${state}"><h3><span class="dot"></span> Title</h3>
	<details class="fold"><summary>Show more</summary></details><details class="menu"><summary>More</summary></details></li>`;

/** @param {string} html */
function page(html) {
	const main = document.querySelector("main");
	if (main) main.innerHTML = html;
	posted = [];
}

/** Folds or unfolds, and waits until the page has received the event. @param {string} sel @param {boolean} open */
async function fold(sel, open) {
	const details = document.querySelector(sel);
	if (!(details instanceof HTMLDetailsElement)) throw new Error(`the page has no ${sel}`);
	const told = new Promise((resolve) => details.addEventListener("toggle", resolve, { once: true }));
	details.open = open;
	await told;
}

const state = () => [document.querySelector(".row")?.getAttribute("data-state"), document.querySelectorAll(".dot").length];

test("unfolding an unread notice reads it, once", async () => {
	page(row("like:photo 1", "unread"));
	await fold(".fold", true);
	equal([state(), posted], [["read", 0], ["/inbox/read key=like%3Aphoto+1&page_user=alice"]]);
	await fold(".fold", false);
	await fold(".fold", true);
	equal(posted.length, 1);
});

test("folding, a menu and a notice already read send the server nothing", async () => {
	page(row("like:1", "unread"));
	await fold(".menu", true);
	document.querySelector(".row")?.setAttribute("data-state", "read");
	await fold(".fold", true);
	document.querySelector(".row")?.setAttribute("data-state", "unread");
	await fold(".fold", false);
	equal([state(), posted], [["unread", 1], []]);
});

test("an inbox rendered without being opened is opened once, when it becomes visible", async () => {
	/** @type {any[]} */ const asked = [];
	Object.assign(window, { htmx: { ajax: async (/** @type {any[]} */ ...all) => (asked.push(all), Promise.reject(new Error("no answer"))) } });
	look("hidden");
	page(`<section id="inbox" data-unopened></section>`);
	look("hidden");
	equal(asked, []);
	look("visible");
	look("hidden");
	look("visible");
	await until("the inbox is asked for", () => asked.length > 0);
	const [[method, address, { target, select, swap }]] = asked;
	equal([asked.length, method, address, select, swap], [1, "GET", "/inbox", "#inbox", "outerHTML show:none"]);
	equal([target.id, target.isConnected, target.hasAttribute("data-unopened")], ["inbox", true, false]);

	page(`<section id="inbox"></section>`);
	look("visible");
	equal(asked.length, 1, "for an inbox that was opened");
});

test("a page visible from the start is opened at once, and stays as it is without htmx", () => {
	look("visible");
	/** @type {string[]} */ const asked = [];
	Object.assign(window, { htmx: { ajax: async (/** @type {string} */ _, /** @type {string} */ address) => void asked.push(address) } });
	page(`<section id="inbox" data-unopened></section>`);
	startReading();
	equal(asked, ["/inbox"]);
	Object.assign(window, { htmx: undefined });
	page(`<section id="inbox" data-unopened></section>`);
	look("visible");
	equal([asked.length, posted], [1, []]);
});

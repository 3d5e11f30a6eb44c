// @ts-check
import { startStale } from "../../../static/js/stale.js";
import { equal, test, until } from "./check.js";
import { look, Time } from "./fakes.js";

/** @param {string} rows @param {string} [stale] */
const part = (rows, stale = "") => `<div id="inbox">${stale}<h1 tabindex="-1">Inbox</h1><ul>${rows}</ul></div>`;
const warning = `<div id="stale" class="stale" data-part="#inbox" data-address="/inbox?opened=0"><div class="banner warn"><svg><use href="/s.svg#triangle-alert"></use></svg><div><p>As of 12:04</p></div></div></div>`;
/** @param {string} body @param {string} [user] */
const page = (body, user = "alice") => `<!doctype html><body data-user="${user}">${body}</body>`;

/** @param {(string | null | Error)[]} answers */
function start(answers) {
	document.body.dataset.user = "alice";
	document.body.innerHTML = part(`<li class="row" id="e1" tabindex="-1">old</li>`, warning);
	/** @type {any} */ (window).htmx = {
		/** @param {Element} old @param {string} text @param {any} how @param {any} what */
		swap: (old, text, how, what) => old.replaceWith(/** @type {Element} */ (new DOMParser().parseFromString(text, "text/html").querySelector(what.select))),
	};
	const [stream, time] = [new EventTarget(), new Time()];
	/** @type {string[]} */ const asked = [];
	startStale(stream, time, async (address) => {
		asked.push(address);
		const answer = answers.shift() ?? null;
		if (answer instanceof Error) throw answer;
		return answer;
	});
	/** @param {string} state */
	const say = (state) => stream.dispatchEvent(new CustomEvent("state", { detail: state }));
	return { time, asked, say, shown: () => document.querySelector("#inbox ul")?.textContent };
}

const now = page(part(`<li class="row" id="e1" tabindex="-1">new</li>`));

test("the stored copy is replaced by the current page once the stream is live", async () => {
	const { time, asked, say, shown } = start([now]);
	say("reconnecting");
	time.pass(60_000);
	equal(asked, [], "asked while it is away");
	document.getElementById("e1")?.focus();
	say("live");
	time.pass(1000);
	await until("the part is new", () => shown() === "new");
	equal(asked, ["/inbox?opened=0"], "asked");
	equal([document.getElementById("stale"), document.querySelector(".banner")?.className], [null, "banner info"], "the warning");
	equal(document.querySelector(".banner use")?.getAttribute("href"), "/s.svg#info", "its icon");
	equal(document.activeElement?.id, "e1", "focus");
	say("reconnecting");
	say("live");
	time.pass(60_000);
	equal(asked.length, 1, "asked once");
});

test("while only stored data is available the page stays, and asks again after longer waits", async () => {
	const { time, asked, say, shown } = start([new Error("503"), page(part("", warning)), now]);
	time.chance = 1;
	say("live");
	for (let n = 1; n <= 3; n++) {
		await until("it is about to ask", () => time.next !== undefined);
		time.pass(30_000);
		await until("it has asked", () => asked.length === n);
	}
	await until("the part is new", () => shown() === "new");
});

test("a page of another user is not shown, and a hidden page does not fetch", async () => {
	const { time, asked, say, shown } = start([page(part("hers"), "carol"), null, now]);
	look("hidden");
	say("live");
	time.pass(60_000);
	equal(asked, [], "asked while nobody looks");
	look("visible");
	time.pass(1000);
	await until("it has asked", () => asked.length === 1);
	await until("it is done", () => time.next === undefined);
	equal(shown(), "old", "the page of another user");
});

// @ts-check
import { startBanner } from "../../../static/js/banner.js";
import { byId, equal, tell, test } from "./check.js";
import { look, Time } from "./fakes.js";

/** Starts a banner on a page high enough to be scrolled. @param {string} id of the pinned announcement; empty: none */
function start(id) {
	document.body.innerHTML = `<section id="pinned" tabindex="-1" ${id ? `data-id="${id}"` : "hidden"}><a class="pinned-title" href="#">Title</a></section>
		<main tabindex="-1"><svg width="10" height="5000" style="display: block"></svg></main>`;
	look("visible");
	scrollTo(0, 0);
	const [stream, time] = [new EventTarget(), new Time()];
	let asked = 0;
	startBanner(stream, time, async () => void asked++);
	return { time, asked: () => asked, say: (/** @type {string} */ name, /** @type {any} */ detail) => tell(stream, name, detail) };
}

const seen = () => byId("pinned").dataset.gone === undefined;
const top = () => document.querySelector("main")?.getBoundingClientRect().top;

/** @param {number} y */
async function scrolled(y) {
	const there = new Promise((resolve) => addEventListener("scroll", resolve, { once: true }));
	scrollTo(0, y);
	await there;
}

test("a banner read elsewhere or ended becomes invisible, keeps its space and loses no focus", () => {
	for (const [name, detail] of /** @type {[string, any][]} */ ([["announcement_read", { ids: [7] }], ["announcement_read", { all: true }], ["announcement_removed", { id: "7" }]])) {
		const { time, asked, say } = start("7");
		const before = top();
		document.querySelector("a")?.focus();
		say("announcement_read", { ids: [8] });
		say("announcement_removed", { id: 9 });
		equal(seen(), true);
		say(name, detail);
		equal([seen(), top(), document.activeElement?.localName], [false, before, "main"]);
		time.pass(60_000);
		equal(asked(), 0, "asks while somebody looks at its place");
	}
});

test("a new banner is fetched once, after a random wait, when its place is out of sight", async () => {
	const { time, asked, say } = start("");
	say("announcement", { id: 3, pinned: false });
	await scrolled(400);
	equal(time.next, undefined, "planned for one that is not pinned");
	await scrolled(0);
	say("announcement", { id: 4, pinned: true });
	equal(time.next, undefined, "planned while its place is in sight");
	await scrolled(400);
	equal(time.next, 2500);
	await scrolled(500);
	time.pass(5000);
	equal([asked(), time.next], [1, undefined]);
});

test("a reader who scrolls back meanwhile keeps the page as it is", async () => {
	const { time, asked, say } = start("7");
	await scrolled(400);
	say("announcement_unread", { ids: [3] });
	await scrolled(0);
	time.pass(5000);
	equal(asked(), 0);
	look("hidden");
	time.pass(5000);
	equal(asked(), 1);
	look("visible");
});

test("the text being read stays in place when the banner grows above it", async () => {
	document.body.innerHTML = `<section id="pinned" tabindex="-1" hidden>Pinned</section><main tabindex="-1"><svg width="10" height="5000" style="display: block"></svg></main>`;
	document.documentElement.style.overflowAnchor = "none"; // as in a browser without scroll anchoring
	const [stream, time] = [new EventTarget(), new Time()];
	let done = false;
	startBanner(stream, time, async () => {
		byId("pinned").hidden = false;
		done = true;
	});
	await scrolled(400);
	const before = top();
	tell(stream, "announcement", { id: 1, pinned: true });
	time.pass(5000);
	equal(done, true);
	await new Promise((resolve) => setTimeout(resolve));
	equal(top(), before);
	document.documentElement.style.overflowAnchor = "";
});

// @ts-check
import { place } from "../../../static/js/place.js";
import { byId, equal, tell, test } from "./check.js";
import { look } from "./fakes.js";
import { press, said, several, start, titles, toast } from "./toastpage.js";

test("a toast is shown as text, said whole, told to the others and acknowledged, and goes after eight seconds", () => {
	const { time, acks, shared, say } = start();
	say("toast", toast(1, { title: "<b>Bob</b> & co", body: "likes <img src=x onerror=alert(1)>" }));
	equal([titles(), byId("popups").querySelector("b, img")], [["<b>Bob</b> & co"], null]);
	equal(byId("popups").querySelector("button")?.getAttribute("aria-label"), "Close: <b>Bob</b> & co");
	time.pass(100);
	equal([said(), acks, shared], [["<b>Bob</b> & co\nlikes <img src=x onerror=alert(1)>"], ["1-0"], ["1-0"]]);
	time.pass(7899);
	equal([titles().length, byId("popups").hidden], [1, false]);
	time.pass(1);
	equal([titles(), byId("popups").hidden, said(), time.next], [[], true, [], undefined]);
});

test("what was shown is acknowledged again and not shown, in this tab or another", () => {
	const { time, acks, say, showing } = start();
	say("toast", toast(1));
	time.pass(9000);
	say("toast", toast(1));
	tell(showing, "shown", ["2-0"]);
	say("toast", toast(2));
	say("toast", several("1-0,2-0,3-0", 3));
	time.pass(20);
	equal([titles(), acks], [["1 more Open inbox"], ["1-0", "1-0,2-0,1-0,2-0,3-0"]]);
});

test("at most three are shown, none moves for another, and what comes beyond is counted", () => {
	const { time, acks, say } = start();
	for (const n of [1, 2, 3]) say("toast", toast(n));
	say("toast", several("4-0,5-0", 2));
	equal(titles(), ["2 more Open inbox", "Title 3", "Title 2", "Title 1"]);
	time.pass(100);
	equal(said().length, 4);
	say("toast", toast(6));
	equal(titles(), ["3 more Open inbox", "Title 3", "Title 2", "Title 1"]);
	equal(acks, ["1-0,2-0,3-0,4-0,5-0"]);
	time.pass(7900);
	equal(titles(), ["3 more Open inbox"], "the count has more time: it changed");
	say("toast", toast(7));
	equal(titles(), ["3 more Open inbox", "Title 7"]);
	time.pass(8000);
	equal(byId("popups").hidden, true);
});

test("two hundred at most are acknowledged at once", () => {
	const { time, acks, say } = start();
	const many = Array.from({ length: 198 }, (_, n) => `${n + 10}-0`);
	for (const n of [1, 2, 3]) say("toast", toast(n));
	say("toast", several(many.join(), 198));
	time.pass(20);
	equal(acks.map((ids) => ids.split(",").length), [200, 1]);
});

test("what is edited says so where it stands, and keeps its time and the focus", () => {
	const { time, say } = start();
	say("toast", toast(1, { key: "order:1", at: 17 }));
	say("toast", toast(2, { key: "order:2", at: 18 }));
	time.pass(4000);
	byId("popups").querySelectorAll("a")[1]?.focus();
	say("changed", { key: "order:1", title: "Title 1b" });
	say("changed", { key: "order:3", title: "Another" });
	equal([titles(), document.activeElement?.textContent], [["Title 2", "Title 1b"], "Title 1b"]);
	equal([...byId("popups").querySelectorAll(".toast-body")].map((e) => e.textContent), ["Body 2"]);
	equal(byId("popups").querySelectorAll("button")[1]?.getAttribute("aria-label"), "Close: Title 1b");
	/** @type {HTMLElement} */ (document.activeElement).blur();
});

test("they stay while nobody sees the page, while the pointer is there and while the focus is", async () => {
	const { time, say } = start();
	say("toast", toast(1));
	time.pass(5000);
	look("hidden");
	time.pass(60_000);
	look("visible");
	time.pass(2000);
	const pointer = (/** @type {string} */ name, pointerType = "mouse") => byId("popups").dispatchEvent(new PointerEvent(name, { pointerType }));
	pointer("pointerenter");
	time.pass(60_000);
	byId("popups").querySelector("a")?.focus();
	pointer("pointerleave");
	time.pass(60_000);
	equal(titles().length, 1);
	byId("popups").querySelector("a")?.blur();
	await Promise.resolve();
	pointer("pointerenter", "touch"); // a finger that tapped is gone
	time.pass(999);
	equal(titles().length, 1);
	time.pass(1);
	equal(titles().length, 0);
});

test("Escape closes the newest, or the one with the focus, which goes on and back to where it was", () => {
	const { say } = start();
	byId("bell").focus();
	for (const n of [1, 2, 3]) say("toast", toast(n));
	press("Escape");
	equal([titles(), document.activeElement?.id], [["Title 2", "Title 1"], "bell"]);
	const second = document.querySelector("#popups li:last-child a");
	if (second instanceof HTMLElement) second.focus();
	press("Escape");
	equal([titles(), document.activeElement?.localName], [["Title 2"], "button"]);
	press("Escape");
	equal([titles(), document.activeElement?.id], [[], "bell"]);
});

test("Escape closes what is open first", () => {
	const { say } = start();
	document.body.insertAdjacentHTML("beforeend", `<section id="panel"></section>`);
	say("toast", toast(1));
	press("Escape");
	equal(titles().length, 1, "with the panel open");
	byId("panel").hidden = true;
	press("Escape");
	equal(titles().length, 0);
});

test("a button closes its own, and a link leads to the row, the announcement or where the message says", () => {
	const { say } = start();
	say("toast", toast(1, { key: "like:1", at: 77, notice: 5 }));
	say("toast", toast(2, { notice: 6, link: "/announcements/6" }));
	say("toast", toast(3));
	equal([...document.querySelectorAll("#popups a")].map((a) => a.getAttribute("href")), ["/l/3", "/announcements/6", "/inbox#e77"]);
	document.querySelectorAll("#popups button")[1]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
	equal(titles(), ["Title 3", "Title 1"]);
	say("toast", toast(4, { link: "" }));
	equal(document.querySelector("#popups li a[href='']"), null);
	say("toast", toast(5, { key: "like:2" }));
	equal(titles()[0], "1 more Open inbox");
});

test("what is read, removed or over somewhere else is not shown any longer", () => {
	const { say } = start();
	say("toast", toast(1, { key: "a:1", at: 10 }));
	say("toast", toast(2, { key: "b:1", at: 20 }));
	say("toast", toast(3, { notice: 6 }));
	say("read", { keys: ["c:1"] });
	say("read", { upto: 9 });
	say("removed", { key: "c:1" });
	say("announcement_read", { ids: [7] });
	equal(titles().length, 3);
	say("read", { upto: 10 });
	equal(titles(), ["Title 3", "Title 2"]);
	say("removed", { key: "b:1" });
	say("announcement_read", { all: true });
	equal(titles(), []);
});

test("it is another tab's turn: what that does not show is shown when this one's comes, unless it is old", () => {
	const { time, acks, say, showing } = start({ here: false });
	say("toast", toast(1));
	time.pass(3000);
	say("toast", toast(2));
	say("toast", toast(3));
	tell(showing, "shown", ["3-0"]);
	time.pass(2500);
	equal([titles(), acks], [[], []]);
	Object.assign(showing, { here: true, waits: false });
	tell(showing, "begin", null);
	time.pass(20);
	equal([titles(), acks], [["Title 2"], ["2-0"]]);
	Object.assign(showing, { here: false }); // hidden: it comes again when somebody looks
	say("toast", toast(4));
	time.pass(20);
	equal([titles(), acks], [["Title 2"], ["2-0"]]);
});

test("a page that signed out or is put aside shows nothing more, and acknowledges what it showed", () => {
	const { acks, say } = start();
	say("toast", toast(1));
	say("state", "reconnecting");
	equal(titles().length, 1);
	say("state", "signed-out");
	equal([titles(), acks], [[], []]);
	say("toast", toast(2));
	dispatchEvent(new PageTransitionEvent("pagehide"));
	equal([titles(), acks], [[], ["1-0,2-0"]]);
	sessionStorage.clear();
});

test("toasts go out of the way of what has the focus", () => {
	start();
	const style = new CSSStyleSheet(); // as narrow as a phone: the start is where the end is
	style.replaceSync(`#popups { position: fixed; left: 0; bottom: 0; width: 200px; height: 100px; } #popups[data-place=top] { top: 0; bottom: auto; } #bell { position: fixed; bottom: 0; }`);
	document.adoptedStyleSheets = [style];
	byId("popups").hidden = false;
	place(byId("popups"));
	equal(byId("popups").dataset.place, "end");
	byId("bell").focus();
	place(byId("popups"));
	equal(byId("popups").dataset.place, "top");
	document.adoptedStyleSheets = [];
});

test("a newer toast of the same row takes the place of the one that is shown", () => {
	const { say } = start();
	for (const n of [1, 2, 3]) say("toast", toast(n, { key: n === 2 ? "c:d" : "a:b", at: n }));
	say("toast", toast(4, { notice: 4 }));
	say("toast", toast(5, { notice: 5 }));
	equal(titles(), ["1 more Open inbox", "Title 4", "Title 3", "Title 2"]);
});

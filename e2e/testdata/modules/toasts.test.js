// @ts-check
import { place } from "../../../static/js/place.js";
import { byId, equal, tell, test } from "./check.js";
import { look } from "./fakes.js";
import { press, said, several, start, titles, toast } from "./toastpage.js";

test("a toast is shown as text, announced in full, shared with other tabs and acknowledged, and disappears after eight seconds", () => {
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

test("a toast shows the actor with the type at the corner, how long it has waited, and the buttons of its row", () => {
	const { say } = start();
	const look = { icon: "heart", color: "red" };
	say("toast", toast(1, { notice: 4, key: "like:9", look, face: { initials: "AN", color: "blue" }, actors: [{ image: "https://cdn.example.com/a.png" }], actions: [{ label: "Reply", style: "primary" }], id: `${Date.now() - 300_500}-0` }));
	const box = byId("popups").querySelector(".toast");
	equal(box?.querySelector(".avatar.face.tint-blue > img")?.getAttribute("src"), "https://cdn.example.com/a.png");
	equal(box?.querySelector(".face > .corner.tint-red use")?.getAttribute("href"), "/icons.svg#heart");
	equal([box?.querySelector(".calls a.primary")?.getAttribute("href"), box?.querySelector(".calls")?.textContent, box?.querySelector("time")?.textContent], ["/n/4?a=1", "Reply ", "5m ago"]);
	say("toast", toast(2, { look, id: `${Date.now()}-0` }));
	equal([byId("popups").querySelector(".toast > .avatar:not(.face) > .icon use")?.getAttribute("href"), titles()[0]], ["/icons.svg#heart", "Title 2"]);
});

test("toasts of notices disappear when the panel opens, which lists them", () => {
	const { say } = start();
	say("toast", toast(1, { notice: 4, key: "like:9" }));
	say("toast", toast(2));
	document.dispatchEvent(new Event("carillon:panel"));
	equal(titles(), ["Title 2"]);
});

test("a toast already shown in this or another tab is acknowledged again but not shown", () => {
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

test("at most three toasts are shown, none is displaced by another, and further ones are counted", () => {
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

test("at most two hundred toasts are acknowledged at once", () => {
	const { time, acks, say } = start();
	const many = Array.from({ length: 198 }, (_, n) => `${n + 10}-0`);
	for (const n of [1, 2, 3]) say("toast", toast(n));
	say("toast", several(many.join(), 198));
	time.pass(20);
	equal(acks.map((ids) => ids.split(",").length), [200, 1]);
});

test("an edited toast gets its new text in place, and keeps its time and the focus", () => {
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

test("toasts stay while the page is hidden, and while they have the pointer or the focus", async () => {
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
	pointer("pointerenter", "touch"); // a tapping finger leaves no pointer
	time.pass(999);
	equal(titles().length, 1);
	time.pass(1);
	equal(titles().length, 0);
});

test("Escape closes the newest toast, or the focused one; the focus moves to the next and finally back to where it was", () => {
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

test("Escape closes an open panel before a toast", () => {
	const { say } = start();
	document.body.insertAdjacentHTML("beforeend", `<section id="panel"></section>`);
	say("toast", toast(1));
	press("Escape");
	equal(titles().length, 1, "with the panel open");
	byId("panel").hidden = true;
	press("Escape");
	equal(titles().length, 0);
});

test("a button closes its toast, and a link leads through the notice, to its row, to the announcement or to the toast's own address", () => {
	const { say } = start();
	say("toast", toast(1, { key: "like:1", at: 77, notice: 5, link: "/photos/1" }));
	equal(document.querySelector("#popups a")?.getAttribute("href"), "/n/5");
	say("changed", { key: "like:1", title: "Title 1", link: "" });
	say("toast", toast(2, { notice: 6, link: "/announcements/6" }));
	say("toast", toast(3));
	equal([...document.querySelectorAll("#popups a")].map((a) => a.getAttribute("href")), ["/l/3", "/announcements/6", "/inbox#e77"]);
	document.querySelectorAll("#popups button")[1]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
	equal(titles(), ["Title 3", "Title 1"]);
	document.body.dataset.links = "https://shop.example.com"; // --link-base
	say("toast", toast(6, { notice: 7, link: "/announcements/7" }));
	equal(document.querySelector("#popups a")?.getAttribute("href"), "/announcements/7");
	document.querySelector("#popups button")?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
	say("toast", toast(7));
	equal(document.querySelector("#popups a")?.getAttribute("href"), "https://shop.example.com/l/7");
	document.querySelector("#popups button")?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
	delete document.body.dataset.links;
	say("toast", toast(4, { link: "" }));
	equal(document.querySelector("#popups li a[href='']"), null);
	say("toast", toast(5, { key: "like:2" }));
	equal(titles()[0], "1 more Open inbox");
});

test("toasts of notices read, removed or ended elsewhere disappear", () => {
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

test("toasts that another tab did not show in its turn are shown when this tab's turn comes, unless they are old", () => {
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
	Object.assign(showing, { here: false }); // hidden: the server sends it again when the page is visible
	say("toast", toast(4));
	time.pass(20);
	equal([titles(), acks], [["Title 2"], ["2-0"]]);
});

test("a page that is signed out or left shows no more toasts, and acknowledges those it showed", () => {
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

test("toasts move out of the way of the focused element", () => {
	start();
	const style = new CSSStyleSheet(); // as narrow as a phone: start and end are the same place
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

test("a newer toast of the same row replaces the one on display", () => {
	const { say } = start();
	for (const n of [1, 2, 3]) say("toast", toast(n, { key: n === 2 ? "c:d" : "a:b", at: n }));
	say("toast", toast(4, { notice: 4 }));
	say("toast", toast(5, { notice: 5 }));
	equal(titles(), ["1 more Open inbox", "Title 4", "Title 3", "Title 2"]);
});

// @ts-check
import { badgeOf, newer } from "../../../static/js/badge.js";
import { showBadge, startBell } from "../../../static/js/bell.js";
import { byId, equal, tell, test } from "./check.js";
import { badge } from "./fakes.js";

function start() {
	document.title = "(3) Inbox · Carillon";
	const stream = new EventTarget();
	/** @type {string[]} */ const said = [];
	startBell(stream, (phrase) => said.push(phrase()));
	return { stream, said };
}

const shown = () => [byId("badge").hidden ? "" : byId("badge").textContent, document.title, byId("bell").getAttribute("aria-label")];

test("each half of a badge is replaced by its own version, and the same version counts again", () => {
	const known = badge(2, 1, 10, 10);
	equal(newer(known, badge(5, 4, 11, 9)), badge(5, 1, 11, 10), "newer inbox");
	equal(newer(known, badge(5, 4, 9, 11)), badge(2, 4, 10, 11), "newer announcements");
	equal(newer(known, badge(5, 4, 9, 9)), known, "both older");
	equal(newer(known, badge(5, 4, 10, 10)), badge(5, 4, 10, 10), "both as new");
	equal(badgeOf(byId("bell")), badge(2, 1, 10, 10), "badge of the page");
});

test("bell, title and name show the number, and a stale badge does not lower it", () => {
	const { stream } = start();
	tell(stream, "badge", badge(4, 1, 11));
	equal(shown(), ["5", "(5) Inbox · Carillon", "Notifications: 5 unread, 1 of them an announcement"]);
	tell(stream, "badge", badge(0, 0, 9));
	equal(shown()[0], "5", "after a stale badge");
	tell(stream, "badge", badge(9, 0, 9, 12));
	equal(shown()[0], "4", "after one that is stale in one half");
	tell(stream, "badge", badge(0, 0, 13));
	equal(shown(), ["", "Inbox · Carillon", "Notifications: nothing unread"]);
});

test("the name of the bell says how many of its number are announcements", () => {
	const { stream } = start();
	const names = [[4, 1], [4, 2], [0, 1], [0, 2], [1, 0]].map(([inbox = 0, announcements = 0], i) => {
		tell(stream, "badge", badge(inbox, announcements, 11 + i));
		return byId("bell").getAttribute("aria-label");
	});
	equal(names, [
		"Notifications: 5 unread, 1 of them an announcement", "Notifications: 6 unread, 2 of them announcements",
		"Notifications: 1 unread announcement", "Notifications: 2 unread announcements", "Notifications: 1 unread",
	]);
});

test("the badge stops at 99+; the name and the title have the full number", () => {
	document.title = "Inbox · Carillon";
	showBadge(99);
	equal(shown()[0], "99");
	showBadge(1234);
	equal(shown(), ["99+", "(1234) Inbox · Carillon", "Notifications: 1,234 unread"]);
});

test("the icon of the tab has a dot and the icon of the application the number while something is unread", async () => {
	/** @type {number[]} */ const shown = [];
	const was = navigator.setAppBadge;
	navigator.setAppBadge = async (n = -1) => {
		shown.push(n);
		throw new Error("refused"); // an unhandled rejection would be reported
	};
	const unhandled = () => shown.push(-1);
	addEventListener("unhandledrejection", unhandled, { once: true });
	document.body.insertAdjacentHTML("beforeend", `<link rel="icon" href="/carillon/static/1a/icons/bell-dot.svg">`);
	const icon = () => document.querySelector("link[rel=icon]")?.getAttribute("href");
	const { stream } = start();
	tell(stream, "badge", badge(0, 0, 11));
	const none = icon();
	tell(stream, "badge", badge(3, 1, 12));
	tell(stream, "badge", badge(2, 1, 13));
	await new Promise((resolve) => setTimeout(resolve, 20)); // for an unhandled rejection
	equal([none, icon(), shown], ["/carillon/static/1a/icons/bell.svg", "/carillon/static/1a/icons/bell-dot.svg", [0, 4, 3]]);
	navigator.setAppBadge = /** @type {any} */ (undefined); // a browser without it
	tell(stream, "badge", badge(0, 0, 14));
	equal(icon(), none);
	navigator.setAppBadge = was;
	removeEventListener("unhandledrejection", unhandled);
});

test("nothing is announced at load, then each change with the newest title, then that all is read", () => {
	const { stream, said } = start();
	tell(stream, "badge", badge(7, 0, 11));
	equal(said, [], "said at load");
	tell(stream, "notice", { title: "Bob likes your photo", ver: 12 });
	tell(stream, "badge", badge(8, 0, 12));
	tell(stream, "badge", badge(8, 0, 12));
	tell(stream, "badge", badge(7, 0, 13));
	tell(stream, "badge", badge(0, 0, 14));
	equal(said, ["8 unread, newest: Bob likes your photo", "7 unread", "Nothing unread"]);
});

test("an announcement is named when it arrives, not when it is edited, and the navigation counts it", () => {
	byId("bell").insertAdjacentHTML("beforebegin", `<a href="/announcements">Announcements <span id="announcements-count"><span>1</span><span>1 unread</span></span></a>`);
	const { stream, said } = start();
	const chip = () => (byId("announcements-count").hidden ? [] : [...byId("announcements-count").children].map((e) => e.textContent));
	tell(stream, "badge", badge(2, 1, 10, 10));
	tell(stream, "announcement", { id: 5, title: "Inventory on Friday" });
	tell(stream, "badge", badge(2, 2, 10, 11));
	tell(stream, "announcement", { id: 5, title: "Inventory on Monday", changed: true });
	tell(stream, "badge", badge(2, 120, 10, 12));
	equal([said, chip()], [["4 unread, newest: Inventory on Friday", "122 unread"], ["99+", "120 unread"]]);
	document.dispatchEvent(new CustomEvent("carillon:badge", { detail: badge(0, 0, 0, 13) })); // half a badge
	equal([chip(), shown()[0]], [[], "2"]);
});

test("the title of a notice shown as a toast is not announced again, whichever comes first", () => {
	const { stream, said } = start();
	const toast = (/** @type {number | undefined} */ id) => document.dispatchEvent(new CustomEvent("carillon:toast", { detail: id }));
	tell(stream, "badge", badge(2, 1, 10));
	tell(stream, "notice", { id: 5, title: "Bob likes your photo", ver: 11 });
	toast(5);
	tell(stream, "badge", badge(3, 1, 11));
	toast(6);
	tell(stream, "notice", { id: "6", title: "Eve, too", ver: 12 });
	tell(stream, "badge", badge(4, 1, 12));
	toast(undefined); // a toast without a notice
	tell(stream, "notice", { id: 7, title: "And Zoe", ver: 13 });
	tell(stream, "badge", badge(5, 1, 13));
	equal(said, ["4 unread", "5 unread", "6 unread, newest: And Zoe"]);
});

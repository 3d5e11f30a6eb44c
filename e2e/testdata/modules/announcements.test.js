// @ts-check
import { startPosts } from "../../../static/js/postwatch.js";
import { idOf, posts } from "../../../static/js/posts.js";
import { byId, equal, tell, test, until } from "./check.js";
import { badge, look, Time } from "./fakes.js";

/** Renders an announcement given as `ID read|unread [TITLE]`. @param {string} line */
function row(line) {
	const [, id, state, title] = line.match(/^(\d+) (\w+) ?(.*)$/) ?? [];
	const unread = state === "unread";
	return `<li class="row" tabindex="-1" id="a${id}" data-testid="announcement" data-id="${id}" data-read="${unread ? 0 : 1}" data-state="${state}">
		<h2>${unread ? `<span class="dot"><span class="sr-only">Unread</span></span> ` : ""}<a dir="auto" href="/announcements/${id}">${title || "Title"}</a></h2>
		<p class="body">Text</p><form action="/announcements/${id}/read"><button>Read</button></form></li>`;
}

/**
 * Renders a list of announcements, by default at version 10.
 * @param {string[]} lines
 * @param {{aver?: number, next?: string}} [more]
 */
function html(lines, { aver = 10, next = "" } = {}) {
	const unread = lines.filter((line) => line.includes("unread")).length;
	return `<a id="bell" data-inbox="2" data-announcements="${unread}" data-ver="10" data-aver="${aver}"><span id="badge"></span></a><section id="pinned" hidden></section>
		<main tabindex="-1"><div id="done"></div><div id="announcements"><h1 tabindex="-1">Announcements</h1><p id="announcement-count" data-unread="${unread}" data-read="${lines.length - unread}"></p>
		<form id="announcement-read-all" ${unread ? "" : "hidden"}></form><a id="news" hidden></a><ul id="announcement-list" class="rows">${lines.map(row).join("")}</ul>
		<template id="announcements-empty"><div class="empty">Nothing</div></template>
		<div id="pager">${next ? `<a rel="next" href="${next}">Next</a>` : ""}</div></div></main><p id="announcer"></p>`;
}

/** @param {string[]} lines @param {{aver?: number, next?: string}} [more] */
const page = (lines, more) => new DOMParser().parseFromString(html(lines, more), "text/html");

const shown = () => posts().map((row) => `${idOf(row)} ${row.dataset.state} ${row.dataset.read} ${row.querySelector(".dot")?.textContent ?? ""}`.trim());
const offered = () => (byId("news").hidden ? "" : byId("news").textContent);
const counted = () => [byId("announcement-count").textContent, byId("announcement-read-all").hidden ? "" : "all"];

/** @param {string[]} lines @param {(address: string) => Promise<Document | null>} [get] */
function start(lines, get = async () => null) {
	document.body.innerHTML = html(lines);
	const [stream, time] = [new EventTarget(), new Time()];
	startPosts(stream, time, get);
	const say = (/** @type {string} */ name, /** @type {any} */ detail) => tell(stream, name, detail);
	const unread = lines.filter((line) => line.includes("unread")).length;
	say("badge", badge(2, unread, 10));
	return { time, say };
}

test("an announcement that an edit marks unread for everybody changes in place, and its new text is offered", () => {
	const { say } = start(["2 read", "1 read"]);
	say("announcement", { id: 2, title: "B", changed: true, unread: true });
	say("badge", badge(2, 1, 10, 11));
	equal([offered(), shown(), counted()], ["1 changed announcement", ["2 unread 0 Unread", "1 read 1"], ["1 unread", "all"]]);
	say("announcement", { id: 1, title: "A", changed: true });
	equal(shown(), ["2 unread 0 Unread", "1 read 1"]);
});

test("a new announcement is offered once, without moving anything; the counts follow the badge", () => {
	const { say } = start(["2 unread", "1 read"]);
	say("announcement", { id: 3, title: "C" });
	say("announcement", { id: "3", title: "C" });
	say("announcement", { id: 2, title: "B" }); // it is in the page
	say("badge", badge(2, 2, 10, 11));
	equal([offered(), shown(), counted()], ["1 new announcement", ["2 unread 0 Unread", "1 read 1"], ["2 unread", "all"]]);
	say("announcement", { id: 4, title: "D" });
	equal(offered(), "2 new announcements");
	say("announcement_removed", { id: 3 });
	say("announcement_removed", { id: 4 });
	say("badge", badge(2, 1, 10, 12));
	equal([offered(), counted()], ["", ["1 unread", "all"]]);
});

test("an edited announcement is offered, also together with a new one, until its row is replaced", () => {
	const { say } = start(["2 unread", "1 read"]);
	say("announcement", { id: 1, title: "B", changed: true });
	equal(offered(), "1 changed announcement");
	say("announcement", { id: 3, title: "C" });
	equal(offered(), "1 new announcement");
	say("announcement_removed", { id: 3 });
	byId("a2").dispatchEvent(new CustomEvent("htmx:load", { bubbles: true, detail: { elt: byId("a2") } }));
	equal(offered(), "1 changed announcement", "after another row was swapped");
	document.dispatchEvent(new CustomEvent("htmx:load", { detail: { elt: byId("announcements") } }));
	equal(offered(), "");
});

test("rows change their read state in place, by id or all at once", () => {
	const { say } = start(["3 unread", "2 unread", "1 read"]);
	say("announcement_read", { ids: [3, 99] });
	say("announcement_unread", { ids: ["1"] });
	say("badge", badge(2, 2, 10, 11));
	equal([shown(), counted()], [["3 read 1", "2 unread 0 Unread", "1 unread 0 Unread"], ["2 unread", "all"]]);
	say("announcement_read", { all: true });
	say("badge", badge(2, 0, 10, 12));
	equal([shown(), counted()], [["3 read 1", "2 read 1", "1 read 1"], ["", ""]]);
});

test("an ended announcement is removed and hands the focus on; the last one leaves the empty text", () => {
	const { say } = start(["2 unread", "1 read"]);
	posts()[0]?.focus();
	say("announcement_removed", { id: 2 });
	say("badge", badge(2, 0, 10, 11));
	equal([shown(), document.activeElement?.id, counted()], [["1 read 1"], "a1", ["", ""]]);
	say("announcement_removed", { id: 1 });
	equal([shown(), document.activeElement?.localName, counted()[0], document.querySelector("main .empty")?.textContent], [[], "h1", "", "Nothing"]);
});

test("an ended unread announcement is no longer counted", () => {
	const { say } = start(["2 unread", "1 unread"]);
	say("announcement_removed", { id: 2 });
	say("badge", badge(2, 1, 10, 11));
	equal(counted(), ["1 unread", "all"]);
});

test("a row with a request of its own under way is left to its answer", () => {
	const { say } = start(["2 unread", "1 read"]);
	posts()[0]?.querySelector("form")?.classList.add("htmx-request");
	say("announcement_removed", { id: 2 });
	equal(shown().length, 2);
});

test("a badge without a preceding event makes the page fetch every page of the list", async () => {
	/** @type {string[]} */ const asked = [];
	const answers = [page(["9 unread", "3 read"], { aver: 20, next: "/announcements?page=2" }), page(["1 unread Other"], { aver: 20 })];
	const { time, say } = start(["3 unread", "2 unread", "1 read"], async (address) => answers[asked.push(address) - 1] ?? null);
	equal(time.next, undefined, "planned before anything was missed");
	say("announcement_read", { ids: [3] });
	say("badge", badge(2, 1, 10, 11));
	equal(time.next, undefined, "planned after an event");
	say("badge", badge(2, 1, 10, 20));
	time.pass(1000);
	await until("the page is mended", () => offered() !== "");
	equal(asked, ["/announcements", "/announcements?page=2"]);
	equal([shown(), offered(), counted()[0]], [["3 read 1", "1 unread 0 Unread"], "1 new announcement", "2 unread"]);
	say("announcement_removed", { id: 9 });
	equal(offered(), "1 changed announcement", "the edit that was missed");
});

test("after a lost connection an event does not prove that none was missed, and the page's own action needs no fetch", () => {
	const { time, say } = start(["1 unread"]);
	document.dispatchEvent(new CustomEvent("carillon:badge", { detail: badge(0, 0, 0, 12) }));
	say("badge", badge(2, 0, 10, 12));
	equal(time.next, undefined, "planned after an own action");
	say("state", "reconnecting");
	say("state", "live");
	say("badge", badge(2, 0, 10, 12));
	equal(time.next, undefined, "planned though nothing has changed");
	say("state", "reconnecting");
	say("announcement", { id: 5, title: "E" });
	say("badge", badge(2, 1, 10, 15));
	equal(time.next, 500, "wait");
});

test("a fetch older than the events heard is repeated, and a hidden tab does not fetch", async () => {
	let asked = 0;
	const { time, say } = start(["1 unread"], async () => (asked++, page(["1 read"], { aver: asked > 1 ? 30 : 20 })));
	look("hidden");
	say("badge", badge(2, 0, 10, 30));
	time.pass(60_000);
	equal(asked, 0, "looks while hidden");
	look("visible");
	time.pass(1000);
	await until("the next is planned", () => time.next !== undefined && asked === 1);
	equal(shown(), ["1 unread 0 Unread"]);
	time.pass(5000);
	await until("it is mended", () => shown()[0] === "1 read 1");
});

test("a reader is told once that the announcement ended, and is offered an edited one", () => {
	const { say } = start([]);
	document.body.innerHTML = `<main><div id="done"></div><h1 tabindex="-1">One</h1><article id="announcement" data-id="7"></article></main>`;
	say("announcement_removed", { id: 6 });
	equal(byId("done").textContent, "");
	say("announcement", { id: 7, title: "Else", changed: true });
	equal([byId("done").querySelector("p")?.textContent, byId("done").querySelector("a")?.getAttribute("href")], ["This announcement has changed.", "/announcements/7"]);
	say("announcement_removed", { id: 7 });
	equal([byId("done").querySelector("p")?.textContent, byId("done").querySelector("a")?.getAttribute("href")], ["This announcement has ended.", "/announcements"]);
	byId("done").replaceChildren();
	say("announcement_removed", { id: 7 });
	equal(byId("done").textContent, "", "said again");
	equal(document.querySelector("h1")?.textContent, "One");
});

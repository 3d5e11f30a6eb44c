// @ts-check
import { Seen } from "../../../static/js/catchup.js";
import { startInbox } from "../../../static/js/inbox.js";
import { look as fetchAll, partOf, reconcile } from "../../../static/js/reconcile.js";
import { rows } from "../../../static/js/rows.js";
import { byId, equal, tell, test, until } from "./check.js";
import { badge, Time } from "./fakes.js";
import { inbox, part, row, shown } from "./inboxpage.js";

const offered = () => (byId("arrivals").hidden ? "" : byId("arrivals").textContent);

/** @param {Time} [time] @param {() => Promise<any>} [get] */
function start(time, get) {
	const stream = new EventTarget();
	startInbox(stream, time, get);
	return (/** @type {string} */ name, /** @type {any} */ detail) => tell(stream, name, detail);
}

test("a notice that arrives is counted once, and nothing moves", () => {
	inbox("a:1@9 read New", "b:1@8 read");
	const say = start();
	say("notice", { key: "c:1", ver: 11 });
	equal(offered(), "1 new");
	say("notice", { key: "c:1", ver: 12 });
	say("notice", { key: "b:1", ver: 13 });
	equal(offered(), "2 new");
	say("notice", { key: "old:1", ver: 10 }); // the page was rendered with it
	equal(offered(), "2 new");
	say("removed", { key: "c:1", ver: 14 });
	equal([offered(), shown()], ["1 new", ["a:1@9 read New", "b:1@8 read"]]);
});

test("notices that were fetched are no longer offered", () => {
	inbox("a:1@9 read");
	const say = start();
	say("notice", { key: "c:1", ver: 11 });
	document.querySelector("ul")?.insertAdjacentHTML("afterbegin", row("c:1@11 unread Unread"));
	document.dispatchEvent(new Event("htmx:afterSettle"));
	equal(offered(), "");
});

test("rows change their read state in place, and a New mark stays", () => {
	inbox("a:1@9 read New", "b:1@8 unread Unread", "c:1@7 unread Unread", "d:1@6 read");
	const say = start();
	say("read", { keys: ["a:1", "b:1", "gone:1"], ver: 11 });
	equal(shown(), ["a:1@9 read New", "b:1@8 read", "c:1@7 unread Unread", "d:1@6 read"]);
	say("unread", { keys: ["a:1", "d:1"], ver: 12 });
	equal(shown(), ["a:1@9 unread Unread", "b:1@8 read", "c:1@7 unread Unread", "d:1@6 unread Unread"]);
	say("read", { upto: 7, ver: 13 });
	equal(shown(), ["a:1@9 unread Unread", "b:1@8 read", "c:1@7 read", "d:1@6 read"]);
	say("removed", { key: "c:1", ver: 14 });
	equal(shown(), ["a:1@9 unread Unread", "b:1@8 read", "d:1@6 read"]);
	equal(rows().map((row) => row.dataset.read), ["0", "0", "0"], "states before this opening");
});

test("a removed row hands the focus on, and a row with a request of its own under way is left to its answer", () => {
	inbox("a:1@9 read", "b:1@8 read", "c:1@7 read");
	const say = start();
	rows()[1]?.focus();
	say("removed", { key: "b:1", ver: 11 });
	equal(document.activeElement === rows()[1], true, "focus on the next row");
	say("removed", { key: "c:1", ver: 12 });
	equal(document.activeElement === rows()[0], true, "focus on the row before");
	rows()[0]?.querySelector("form")?.classList.add("htmx-request");
	say("removed", { key: "a:1", ver: 13 });
	equal(shown(), ["a:1@9 read"]);
});

test("rows and button are looked up when an event arrives", () => {
	const say = start();
	say("notice", { key: "c:1", ver: 11 }); // not a page of the inbox
	inbox("a:1@9 unread Unread");
	say("read", { keys: ["a:1"], ver: 12 });
	equal(shown(), ["a:1@9 read"]);
});

test("rows take their current state: removed, read or unread; new entries are returned", () => {
	inbox("a:1@9 read New", "b:1@8 unread Unread", "c:1@7 unread Unread", "d:1@6 read", "e:1@5 read", "old:1@2 read");
	const arrived = reconcile([part(20, ["e:1@12 unread", "n:1@11 read", "a:1@9 read", "b:1@8 read", "d:1@6 unread", "x:1@5 read"], Infinity, 5)]);
	equal(shown(), ["a:1@9 read New", "b:1@8 read", "d:1@6 unread Unread", "e:1@5 read", "old:1@2 read"]);
	equal([...arrived], [["e:1", 12], ["n:1", 11]]);
});

test("an older page is fetched as far as the page shows rows, and no further", async () => {
	inbox("a:1@9 read", "b:1@3 read", "c:1@2 read");
	/** @type {number[]} */ const asked = [];
	const answers = [part(20, ["n:1@15 unread"], Infinity, 15), part(20, ["m:1@12 unread", "a:1@9 read"], 15, 9), part(20, ["c:1@2 read", "z:1@1 read"], 4, 1)];
	const parts = await fetchAll(async (before) => {
		asked.push(before === Infinity ? 0 : before);
		return answers[asked.length - 1] ?? null;
	});
	equal(asked, [0, 15, 4], "pages older than");
	equal([...reconcile(parts ?? []).keys()], ["n:1", "m:1"], "arrived");
	equal(shown(), ["a:1@9 read", "c:1@2 read"]);
});

test("a question that waits at the top, with the first page, is not looked for among the older ones", async () => {
	inbox("q:1@2 read", "a:1@9 read", "b:1@3 read");
	/** @type {number[]} */ const asked = [];
	const answers = [part(20, ["q:1@2 read", "a:1@9 read"], Infinity, 9), part(20, ["b:1@3 read"], 4, 3)];
	reconcile((await fetchAll(async (before) => (asked.push(before === Infinity ? 0 : before), answers[asked.length - 1] ?? null))) ?? []);
	equal(asked, [0, 4], "pages older than");
	equal(shown(), ["q:1@2 read", "a:1@9 read", "b:1@3 read"]);
});

test("a page is parsed for its rows, its version and how far back it goes", () => {
	const html = (/** @type {string} */ more) =>
		new DOMParser().parseFromString(`<a id="bell" data-ver="20"></a><main>${row("a:1@9 unread")}${row("b:1@4 read")}${more}</main>`, "text/html");
	const read = (/** @type {string} */ more) => {
		const found = partOf(html(more), 12);
		return { ...found, entries: found.entries.map(({ key, at, state }) => ({ key, at, state })) };
	};
	equal(read(`<a rel="next" href="/inbox?before=4">Older</a>`), part(20, ["a:1@9 unread", "b:1@4 read"], 12, 4));
	equal(read(""), part(20, ["a:1@9 unread", "b:1@4 read"], 12, 0));
	const above = `<section aria-labelledby="waiting">${row("q:1@2 read")}</section><a rel="next" href="/inbox?before=4">Older</a>`;
	equal(read(above), part(20, ["a:1@9 unread", "b:1@4 read", "q:1@2 read"], 12, 4));
});

test("a badge without a preceding event shows that events were missed", () => {
	const seen = new Seen();
	equal(seen.badge(10, 10), false, "the page's own badge");
	seen.row(11);
	equal(seen.badge(11, 10), false, "a badge after its event");
	equal(seen.badge(11, 10), false, "the same again");
	equal(seen.badge(9, 10), false, "a stale one");
	equal(seen.badge(13, 10), true, "one without its event");
	seen.pause();
	seen.row(15); // the event 14 may have come before it
	equal(seen.badge(15, 10), true, "the first after a pause");
	equal(seen.badge(16, 16), false, "one that the page has");
});

/** @param {string} heading @param {string} text @param {string} [label] @param {string} [fold] */
const wording = (heading, text, label = "Delete", fold = "") =>
	`<article><h3><span class="dot">Unread</span> ${heading}</h3><div class="meta"></div>${text}${fold}<span class="exact"></span></article>
	<div class="actions"><form action="/inbox/delete"><button aria-label="${label}">x</button></form></div>`;

/** Fills the page with one row. @param {string} html @param {number} at @param {string} state */
function saying(html, at = 9, state = "unread") {
	inbox(`a:1@${at} ${state}`, "b:1@8 read");
	const [first] = rows();
	if (!first) throw new Error("no row");
	first.innerHTML = html;
	return first;
}

/** Returns a page as the server renders it. @param {string} html @param {number} ver @param {number} [at] */
function served(html, ver, at = 9) {
	const page = new DOMParser().parseFromString(`<a id="bell" data-ver="${ver}"></a><main>${row(`a:1@${at} unread`)}${row("b:1@8 read")}</main>`, "text/html");
	const [first] = rows(page);
	if (first) first.innerHTML = html;
	return partOf(page, Infinity);
}

test("an edited row gets its new text in place, and the focus stays", async () => {
	const shown = saying(wording(`<a dir="auto" href="/1">Old</a>`, `<p class="body">Text</p>`, "Delete Old"));
	const link = shown.querySelector("a");
	link?.focus();
	const time = new Time();
	let asked = 0;
	const now = wording(`<a dir="auto" href="/2">New &lt;b&gt;</a>`, `<p class="body">Long</p>`, "Delete New", `<details class="fold"><summary>Show more: New</summary></details>`);
	const say = start(time, async () => (asked++, served(now, 12)));
	say("changed", { key: "z:1", ver: 11 }); // not in the page
	say("changed", { key: "a:1", ver: 10 }); // the page has it
	time.pass(60_000);
	equal(asked, 0, "looks");
	say("changed", { key: "a:1", ver: 12 });
	time.pass(1000);
	await until("it says something else", () => shown.querySelector(".fold") !== null);
	equal([link?.isConnected, link?.textContent, link?.getAttribute("href"), document.activeElement === link], [true, "New <b>", "/2", true]);
	equal([shown.querySelectorAll(".body").length, shown.querySelector(".dot")?.textContent], [1, "Unread"]);
	equal(shown.querySelector("button")?.getAttribute("aria-label"), "Delete New");
	equal([rows()[0] === shown, asked, offered()], [true, 1, ""]);
});

test("a row that loses its link or its text keeps the focus, and one that moved is left as it is", () => {
	const shown = saying(wording(`<a dir="auto" href="/1">Old</a>`, `<p class="body">Text</p>`));
	shown.querySelector("a")?.focus();
	reconcile([served(wording(`<span dir="auto">New</span>`, ""), 20)]);
	equal([shown.querySelector("h3 > [dir]")?.outerHTML, shown.querySelector(".body")], [`<span dir="auto">New</span>`, null]);
	equal(document.activeElement === shown, true, "focus on the row");
	reconcile([served(wording(`<span dir="auto">New</span>`, `<p class="body">Text</p>`), 21)]);
	equal(shown.querySelector(".body")?.textContent, "Text");
	reconcile([served(wording(`<span dir="auto">Newer</span>`, ""), 22, 15)]);
	equal(shown.querySelector("h3 > [dir]")?.textContent, "New");
});

// @ts-check
import { refused } from "../../../static/js/live.js";
import { Alone } from "../../../static/js/alone.js";
import { Stream } from "../../../static/js/stream.js";
import { Tabs } from "../../../static/js/tabs.js";
import { equal, heard, test, until } from "./check.js";
import { badge, look, Server, Time } from "./fakes.js";

let users = 0;

/** Makes tabs of one user who is in no other test. @param {number} n @param {string} [user] @param {string} [url] */
function tabs(n, user = `user ${++users}`, url = "/answer/503") {
	return Array.from({ length: n }, () => {
		const [server, time] = [new Server(), new Time()];
		const all = new Tabs(user, new Stream(url, server.make, time, refused));
		return { server, time, tabs: all, events: heard(all, "badge", "notice", "state") };
	});
}

/** @template T @param {T[]} list @param {number} n @returns {T} */
function at(list, n) {
	const found = list[n];
	if (found === undefined) throw new Error(`there is no ${n}`);
	return found;
}

/** @param {ReturnType<typeof tabs>} all */
const open = (all) => all.reduce((sum, { server }) => sum + server.open, 0);

test("one tab has the stream, and all tabs get the same events", async () => {
	const all = tabs(4);
	for (const one of all) one.tabs.join();
	await until("one leads", () => all.some((one) => one.tabs.leads));
	equal([all.filter((one) => one.tabs.leads).length, open(all)], [1, 1]);
	const { source } = at(all.filter((one) => one.tabs.leads), 0).server;
	source.accept();
	source.send("badge", badge(1, 0, 5), 5);
	source.send("notice", { key: "a:b", title: "Hello" }, 6);
	const want = [["state", "live"], ["badge", badge(1, 0, 5)], ["notice", { key: "a:b", title: "Hello", ver: 6 }]];
	for (const one of all) {
		await until("it was heard", () => one.events.length === 3);
		equal(one.events, want);
	}
	for (const one of all) one.tabs.leave();
	await until("nobody has a stream", () => open(all) === 0);
});

test("when the leader leaves another tab leads with a stream of its own, and the first may rejoin", async () => {
	const [one, two] = /** @type {[any, any]} */ (tabs(2));
	one.tabs.join();
	await until("the first leads", () => one.tabs.leads);
	two.tabs.join();
	one.server.source.accept();
	one.server.source.send("badge", badge(1, 0, 5), 5);
	await until("the second knows", () => two.events.length >= 2); // the event may come twice
	one.tabs.leave();
	equal(one.server.open, 0, "streams of who let go");
	await until("the second leads", () => two.tabs.leads && two.server.open === 1);
	two.server.source.accept();
	two.server.source.send("badge", badge(2, 0, 6), 6);
	one.events.length = 0;
	one.tabs.join();
	await until("the first knows what it missed", () => one.events.length === 2);
	equal(one.events, [["state", "live"], ["badge", badge(2, 0, 6)]]);
	equal([one.tabs.leads, one.server.open, two.server.open], [false, 0, 1]);
	two.tabs.leave();
	await until("the first leads again", () => one.tabs.leads && one.server.open === 1);
	one.tabs.leave();
});

test("a tab that left hears nothing and holds no lock, whenever it left", async () => {
	const [one, two] = /** @type {[any, any]} */ (tabs(2));
	one.tabs.join();
	one.tabs.leave();
	await navigator.locks.request("something else", () => {}); // its turn has come and gone
	equal([one.tabs.leads, one.server.sources.length], [false, 0]);
	two.tabs.join();
	await until("the other leads", () => two.tabs.leads);
	two.server.source.accept();
	two.server.source.send("badge", badge(1, 0, 5), 5);
	equal(one.events, [["state", "reconnecting"]], "heard by who left");
	two.tabs.leave();
});

test("a tab that is denied locks has a stream of its own", async () => {
	const server = new Server();
	const locks = /** @type {any} */ ({ request: () => Promise.reject(new DOMException("", "SecurityError")) });
	const refused = new Tabs(`user ${++users}`, new Stream("/answer/503", server.make, new Time()), locks);
	refused.join();
	await until("it leads", () => refused.leads && server.open === 1);
	refused.leave();
	equal(server.open, 0);
});

test("a tab that joins late gets the state and the newest of each half of the badge", async () => {
	const [one, two] = /** @type {[any, any]} */ (tabs(2));
	one.tabs.join();
	await until("it leads", () => one.tabs.leads);
	one.server.source.accept();
	one.server.source.send("badge", badge(1, 1, 5, 9), 5);
	one.server.source.send("badge", badge(2, 7, 6, 8), 6);
	one.server.source.cut();
	two.tabs.join();
	await until("the other knows", () => two.events.length === 2);
	equal(two.events, [["state", "reconnecting"], ["badge", badge(2, 1, 6, 9)]]);
	equal(one.server.open, 1, "streams: somebody asked, so it connects now");
	for (const { tabs } of [one, two]) tabs.leave();
});

test("a tab that becomes visible wakes the leader", async () => {
	const [one, two] = /** @type {[any, any]} */ (tabs(2));
	one.tabs.join();
	await until("it leads", () => one.tabs.leads);
	two.tabs.join();
	one.server.source.accept();
	await until("both are live", () => two.events.length > 0);
	one.server.source.cut();
	equal(one.server.open, 0);
	two.tabs.wake();
	await until("it connects", () => one.server.open === 1);
	for (const { tabs } of [one, two]) tabs.leave();
});

test("all tabs show that they are signed out; a new tab is not told so but tries again", async () => {
	const [one, two, late] = /** @type {[any, any, any]} */ (tabs(3, `user ${++users}`, "/answer/401"));
	one.tabs.join();
	await until("it leads", () => one.tabs.leads);
	two.tabs.join();
	const last = (/** @type {any} */ tab) => tab.events.at(-1)?.[1];
	one.server.source.accept();
	await until("the other is live", () => last(two) === "live");
	one.server.source.refuse();
	one.time.pass(1000);
	await until("both are signed out", () => last(one) === "signed-out" && last(two) === "signed-out");
	late.tabs.join();
	await until("it tries again", () => one.server.open === 1);
	one.server.source.accept();
	await until("all are live", () => [one, two, late].every((tab) => last(tab) === "live"));
	equal(late.events, [["state", "live"]]);
	for (const { tabs } of [one, two, late]) tabs.leave();
});

test("tabs of two users share nothing", async () => {
	const [one] = /** @type {[any]} */ (tabs(1, "alice"));
	const [two] = /** @type {[any]} */ (tabs(1, "bob"));
	one.tabs.join();
	two.tabs.join();
	await until("both lead", () => one.tabs.leads && two.tabs.leads);
	one.server.source.accept();
	one.server.source.send("badge", badge(1, 0, 5), 5);
	two.server.source.accept();
	two.server.source.send("badge", badge(8, 0, 9), 9);
	equal(one.events, [["state", "live"], ["badge", badge(1, 0, 5)]]);
	equal(two.events, [["state", "live"], ["badge", badge(8, 0, 9)]]);
	for (const { tabs } of [one, two]) tabs.leave();
});

test("a tab that cannot share has a stream while it is visible", () => {
	const [server, time] = [new Server(), new Time()];
	const alone = new Alone(new Stream("/answer/503", server.make, time));
	const events = heard(alone, "badge", "state");
	look("hidden");
	alone.join();
	equal(server.open, 0, "streams while hidden");
	look("visible");
	equal(server.open, 1, "streams while visible");
	server.source.accept();
	server.source.send("badge", badge(1, 0, 5), 5);
	look("hidden");
	equal(server.open, 0, "streams while hidden again");
	look("visible");
	alone.leave();
	look("visible");
	equal(server.open, 0, "streams after it left");
	equal(events.filter(([name, state]) => name === "badge" || state === "live").length, 2, "events");
});

// @ts-check
import { refused } from "../../../static/js/live.js";
import { backoff, Stream } from "../../../static/js/stream.js";
import { equal, heard, test, until } from "./check.js";
import { badge, Server, Time } from "./fakes.js";

/** @param {string} url */
function start(url = "/answer/503") {
	const [server, time] = [new Server(), new Time()];
	const stream = new Stream(url, server.make, time, refused);
	const states = heard(stream, "state");
	stream.open();
	return { server, time, stream, states: () => states.map(([, state]) => state) };
}

test("waits are random, between a quarter of a second and a limit that doubles up to 30 s", () => {
	for (const [failures, most] of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000].entries()) {
		equal(backoff(failures, 0), 250, `shortest wait ${failures}`);
		equal(backoff(failures, 1), most, `longest wait ${failures}`);
		equal(backoff(failures, 0.5), (250 + most) / 2, `middle wait ${failures}`);
	}
	equal(backoff(1000, 1), 30_000, "wait after very many failures");
});

test("a refused stream is requested again after a wait that grows until an event arrives", async () => {
	const { server, time } = start();
	const waits = [];
	time.chance = 1;
	for (let n = 1; n <= 7; n++) {
		server.source.refuse();
		waits.push(time.next);
		time.pass(30_000);
		await until("it has connected again", () => server.sources.length === n + 1);
	}
	equal(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000], "waits");
	server.source.accept();
	server.source.send("badge", badge(1, 0, 1), 1);
	server.source.cut();
	equal(time.next, 1000, "wait after an event");
	equal(server.open, 0, "open streams while it waits");
});

test("a broken stream reports it, reconnects without checking the session, and is live again", () => {
	const { server, time, states } = start();
	server.source.accept();
	server.source.cut();
	time.pass(1000);
	equal(server.sources.length, 2, "streams");
	server.source.accept();
	equal(states(), ["live", "reconnecting", "live"]);
});

test("a stream without a session reports it once and stops until it is woken", async () => {
	const { server, time, stream, states } = start("/answer/401");
	server.source.refuse();
	time.pass(1000);
	await until("it is signed out", () => states().includes("signed-out"));
	equal(states(), ["reconnecting", "signed-out"]);
	time.pass(100_000);
	equal(server.sources.length, 1, "streams");
	stream.wake();
	equal(server.sources.length, 2, "streams after it was woken");
});

test("the server says when to come back before it stops", () => {
	const { server, time } = start();
	server.source.accept();
	server.source.send("bye", { retry: 4321 }, 1);
	equal([time.next, server.open], [4321, 0]);
});

test("waking ends a wait, and does not affect a stream that is connected or connecting", () => {
	const { server, time, stream } = start();
	stream.wake();
	server.source.accept();
	stream.wake();
	equal(server.sources.length, 1, "streams");
	server.source.cut();
	stream.wake();
	equal([server.sources.length, server.open, time.next], [2, 1, undefined]);
});

test("events carry their version, and none arrives after the stream was closed", async () => {
	const { server, time, stream, states } = start("/answer/503");
	const events = heard(stream, "notice", "badge", "read");
	server.source.accept();
	server.source.send("notice", { key: "a:b", ver: "not this" }, 17);
	equal(events, [["notice", { key: "a:b", ver: 17 }]]);
	server.source.refuse();
	stream.close();
	time.pass(100_000);
	equal([server.sources.length, time.next, states()], [1, undefined, ["live", "reconnecting"]]);
});

test("the stream stays connected while the server cannot reach Redis, and is live again when told so", () => {
	const { server, time, states } = start();
	server.source.accept();
	server.source.send("badge", badge(1, 0, 1), 1);
	server.source.send("connection", { state: "reconnecting" }, 1);
	time.pass(60_000);
	equal([server.sources.length, server.open], [1, 1], "streams");
	server.source.send("connection", { state: "live" }, 1);
	equal(states(), ["live", "reconnecting", "live"]);
});

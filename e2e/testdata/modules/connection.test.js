// @ts-check
import { startConnection } from "../../../static/js/connection.js";
import { byId, equal, tell, test } from "./check.js";
import { Time } from "./fakes.js";

function start() {
	const [stream, time] = [new EventTarget(), new Time()];
	startConnection(stream, time);
	/** @param {string} state */
	const say = (state) => tell(stream, "state", state);
	return { time, say, shown: () => (byId("connection").hidden ? "" : byId("connection").textContent) };
}

test("a quick reconnect is not shown, a slow one is shown after a second and a half", () => {
	const { time, say, shown } = start();
	say("reconnecting");
	time.pass(1499);
	say("live");
	time.pass(10_000);
	equal(shown(), "");
	say("reconnecting");
	time.pass(1499);
	equal(shown(), "");
	say("reconnecting"); // the next attempt failed too: the wait continues
	time.pass(1);
	equal(shown(), "Reconnecting…");
	say("live");
	equal(shown(), "");
});

test("the time shown is the last moment at which the page was live, in any later state", () => {
	const { time, say, shown } = start();
	say("live");
	time.pass(60_000);
	say("reconnecting");
	time.pass(3_600_000);
	say("offline");
	equal(shown(), "Offline. Last updated 12:05");
	say("reconnecting");
	equal(shown(), "Reconnecting…");
	say("live");
	time.pass(60_000);
	say("offline");
	time.pass(1500);
	equal(shown(), "Offline. Last updated 13:06");
});

test("a page that never was live was up to date when it was loaded", () => {
	const { time, say, shown } = start();
	time.pass(1000);
	say("offline");
	time.pass(200_000);
	equal(shown(), "Offline. Last updated 12:04");
});

test("the end of the session is shown at once, and withdrawn if the session goes on", () => {
	const { say, shown } = start();
	say("signed-out");
	equal(shown(), "You are signed out. Sign in");
	say("live");
	equal(shown(), "");
});

// @ts-check
import { announcer, say } from "../../../static/js/announcer.js";
import { byId, equal, test, until } from "./check.js";
import { Time } from "./fakes.js";

test("at most one phrase every five seconds is announced, the last of those waiting", () => {
	const time = new Time();
	/** @type {[number, string][]} */ const said = [];
	const speak = announcer((phrase) => said.push([time.at, phrase]), time);
	time.pass(1000);
	equal(said, [], "said at load");
	speak("one");
	speak("two");
	time.pass(1000);
	speak("three");
	time.pass(1000);
	let n = 4;
	speak(() => `as it is then: ${n}`);
	n = 5;
	time.pass(10_000);
	equal(said, [[1050, "two"], [6050, "as it is then: 5"]]);
	speak("six");
	time.pass(100);
	speak("seven");
	time.pass(5000);
	equal(said.slice(2), [[13_050, "six"], [18_050, "seven"]]);
});

test("a phrase may wait longer, in case there is less to announce", () => {
	const time = new Time();
	/** @type {[number, string][]} */ const said = [];
	const speak = announcer((phrase) => said.push([time.at, phrase]), time);
	let more = ", newest: Bob";
	speak(() => `4 unread${more}`, 400);
	time.pass(399);
	more = "";
	time.pass(1);
	equal(said, [[400, "4 unread"]]);
});

test("a phrase that was announced is not announced again with the next", () => {
	const time = new Time();
	/** @type {string[]} */ const said = [];
	const speak = announcer((phrase) => said.push(phrase), time);
	speak("");
	time.pass(60_000);
	equal(said, [""]);
});

test("modules announce phrases through the page's one status element", async () => {
	say("3 unread");
	await until("it was said", () => byId("announcer").textContent === "3 unread");
});

// @ts-check
import { Polling } from "../../../static/embed/polling.js";
import { equal, test, until } from "./check.js";
import { Time } from "./fakes.js";

/** Starts a Polling whose requests the test answers. */
function start() {
	const time = new Time();
	/** @type {(() => void)[]} */ const asked = [];
	const polling = new Polling(() => new Promise((resolve) => void asked.push(() => resolve())), time);
	return { time, asked, polling };
}

test("a stream without an event is polled after 5 seconds, and every 30", async () => {
	const { time, asked, polling } = start();
	polling.watch();
	time.pass(4_999);
	equal(asked.length, 0);
	time.pass(1);
	equal(asked.length, 1);
	asked[0]?.();
	await until("the answer is there", () => time.next === 30_000);
	time.pass(30_000);
	equal(asked.length, 2);
});

test("an event ends it, also while an answer is on its way", async () => {
	const { time, asked, polling } = start();
	polling.watch();
	polling.stop();
	time.pass(60_000);
	equal(asked.length, 0);
	polling.watch();
	time.pass(5_000);
	polling.stop();
	asked[0]?.();
	await new Promise((resolve) => setTimeout(resolve));
	equal([asked.length, time.next], [1, undefined]);
});

// @ts-check
import { Presence } from "../../../static/js/presence.js";
import { Showing } from "../../../static/js/showing.js";
import { equal, test, until } from "./check.js";
import { look, Time } from "./fakes.js";

let users = 0;

/** @param {boolean} is */
const focused = (is) => Object.defineProperty(document, "hasFocus", { value: () => is, configurable: true });

/** Makes tabs of one user. They share this page's document: all are visible, or none. @param {number} n @param {LockManager} [locks] */
function tabs(n, locks = navigator.locks) {
	look("visible");
	focused(false);
	const user = `user ${++users}`;
	return Array.from({ length: n }, (_, i) => {
		const time = new Time();
		/** @type {boolean[]} */ const told = [];
		const showing = new Showing(user, new Presence((visible) => told.push(visible), time), () => i === 0, locks);
		let begun = 0;
		showing.addEventListener("begin", () => begun++);
		/** @type {string[][]} */ const shown = [];
		showing.addEventListener("shown", (e) => shown.push(/** @type {CustomEvent} */ (e).detail));
		return { showing, time, told, shown, begun: () => begun };
	});
}

/** @param {ReturnType<typeof tabs>} all */
const here = (all) => all.map(({ showing }) => (showing.here ? 1 : 0)).join("");

/** Waits until the browser has handled all lock requests. */
const settled = () => navigator.locks.request(`settled ${Math.random()}`, () => navigator.locks.query());

test("one visible tab shows toasts, the next one when it goes, and never one kept in the history", async () => {
	const all = /** @type {[any, any, any]} */ (tabs(3));
	for (const { showing } of all) showing.join();
	await until("one shows", () => here(all) === "100");
	equal(all.map(({ showing }) => showing.waits), [false, true, true]);
	all[0].showing.leave();
	equal(all[0].showing.here, false, "shows after it left");
	await until("the next shows", () => here(all) === "010");
	all[1].showing.leave();
	all[2].showing.leave();
	await settled();
	equal(here(all), "000");
	all[0].showing.join();
	await until("one that came back shows", () => here(all) === "100");
	equal(all.map(({ begun }) => begun()), [2, 1, 0]);
	all[0].showing.leave();
});

test("a tab that opens with the focus takes over, and the previous one queues up", async () => {
	const all = /** @type {[any, any, any]} */ (tabs(3));
	all[0].showing.join();
	await until("the first shows", () => here(all) === "100");
	all[1].showing.join();
	await settled();
	equal(here(all), "100", "without the focus");
	focused(true);
	all[2].showing.join();
	await until("the used one shows", () => here(all) === "001");
	all[2].showing.leave();
	await until("the one that waited longest shows", () => here(all) === "010");
	all[1].showing.leave();
	await until("who lost it is still in the queue", () => here(all) === "100");
	all[0].showing.leave();
});

test("hidden pages show nothing; the server learns after a moment that no page is visible", async () => {
	const [one] = /** @type {[any]} */ (tabs(1));
	look("hidden");
	one.showing.join();
	await settled();
	equal([one.showing.here, one.showing.waits, one.told], [false, false, []]);
	look("visible");
	await until("it shows", () => one.showing.here);
	look("hidden");
	equal([one.showing.here, one.told], [false, [true]]);
	look("visible"); // as after a short visit to another window
	await until("it shows again", () => one.showing.here);
	one.time.pass(500);
	await settled();
	equal(one.told, [true, true]);
	look("hidden");
	await settled();
	one.time.pass(500);
	await until("the server knows", () => one.told.length === 3);
	equal(one.told[2], false);
	one.showing.leave();
	look("visible");
	equal(one.showing.waits, false, "asks after it left");
});

test("when the last visible page goes, only the leading tab reports it", async () => {
	const all = /** @type {[any, any, any]} */ (tabs(3));
	all[2].showing.join();
	await until("it shows", () => here(all) === "001");
	look("hidden");
	// As if only this one were visible: it requested the lock before the others existed.
	look("visible");
	await until("it shows again", () => here(all) === "001");
	Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
	all[0].showing.join();
	all[1].showing.join();
	all[2].showing.leave();
	await until("the one that leads has heard", () => all[0].time.next !== undefined);
	await settled();
	for (const { time } of all) time.pass(500);
	await until("the server knows", () => all[0].told.length > 0);
	await settled();
	equal([all[0].told, all[1].told], [[false], []]);
	for (const { showing } of all) showing.leave();
	look("visible");
});

test("activity is reported twice a minute, and a waiting tab that is used takes over", async () => {
	const [one] = /** @type {[any]} */ (tabs(1));
	const press = () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "Shift", bubbles: true }));
	one.showing.join();
	await until("it shows", () => one.showing.here);
	press();
	one.time.pass(29_999);
	press();
	equal(one.told, [true]);
	one.time.pass(1);
	press();
	press();
	equal(one.told, [true, true]);

	// A foreign lock with that name represents an unused tab.
	const [two] = /** @type {[any]} */ (tabs(1));
	const name = `carillon-toasts:user ${users}`;
	let lost = false;
	navigator.locks.request(name, () => new Promise(() => {})).catch(() => (lost = true));
	two.showing.join();
	await settled();
	equal(two.showing.waits, true);
	press();
	await until("it took it", () => two.showing.here && lost);
	for (const { showing } of [one, two]) showing.leave();
});

test("tabs learn which toasts another has shown, and tabs of other users learn nothing", async () => {
	const all = /** @type {[any, any]} */ (tabs(2));
	const [other] = /** @type {[any]} */ (tabs(1));
	for (const { showing } of [...all, other]) showing.join();
	all[0].showing.share(["1-0", "2-0"]);
	await until("the other knows", () => all[1].shown.length === 1);
	equal([all[1].shown, all[0].shown, other.shown], [[["1-0", "2-0"]], [], []]);
	for (const { showing } of [...all, other]) showing.leave();
});

test("without locks, or if they are denied, each visible tab shows toasts", async () => {
	look("visible");
	const time = new Time();
	/** @type {boolean[]} */ const told = [];
	const alone = new Showing("nobody", new Presence((visible) => told.push(visible), time), () => true);
	alone.join();
	equal([alone.here, told], [true, [true]]);
	look("hidden");
	time.pass(1000);
	await settled();
	equal([alone.here, told], [false, [true]], "nobody knows of other tabs");
	look("visible");
	equal([alone.here, told], [true, [true, true]]);
	alone.leave();
	const refusing = /** @type {any} */ ({ request: () => Promise.reject(new DOMException("", "SecurityError")) });
	const [refused] = /** @type {[any]} */ (tabs(1, refusing));
	refused.showing.join();
	await until("it shows", () => refused.showing.here);
	refused.showing.leave();
	equal(refused.showing.here, false);
});

// @ts-check
import { startCatchUp } from "../../../static/js/catchup.js";
import { equal, tell, test, until } from "./check.js";
import { badge, look, Time } from "./fakes.js";
import { inbox, part, shown } from "./inboxpage.js";

/** @param {() => Promise<any>} get */
function watch(get) {
	const [stream, time] = [new EventTarget(), new Time()];
	/** @type {string[][]} */ const found = [];
	startCatchUp(stream, (arrived) => found.push([...arrived.keys()]), time, get);
	return { time, found, say: (/** @type {string} */ name, /** @type {any} */ detail) => tell(stream, name, detail) };
}

test("a page that missed events fetches the inbox once, after a random wait, and only while it is visible", async () => {
	inbox("a:1@9 read");
	let asked = 0;
	const { time, found, say } = watch(async () => (asked++, part(12, ["n:1@12 unread", "a:1@9 read"])));
	look("hidden");
	say("badge", badge(1, 0, 12));
	time.pass(60_000);
	equal(asked, 0, "looks while hidden");
	look("visible");
	equal(time.next, 500, "wait");
	say("badge", badge(1, 0, 12));
	time.pass(60_000);
	await until("it has looked", () => found.length === 1);
	equal([asked, found], [1, [["n:1"]]]);
	time.pass(60_000);
	equal(asked, 1, "looks");
});

test("a fetch that fails, or is older than the events heard, is repeated after a longer wait", async () => {
	inbox("a:1@9 read");
	const answers = [Promise.reject(new Error("503")), Promise.resolve(part(12, ["a:1@9 read"])), Promise.resolve(part(13, []))];
	answers[0]?.catch(() => {});
	let asked = 0;
	const { time, found, say } = watch(() => answers[asked++] ?? Promise.resolve(null));
	say("badge", badge(1, 0, 12));
	time.pass(1000);
	await until("the next is planned", () => time.next !== undefined);
	equal(time.next, backoffOf(1), "wait after one failure");
	say("notice", { key: "n:1", ver: 13 });
	time.pass(2000);
	await until("the next is planned", () => time.next !== undefined);
	equal([time.next, found], [backoffOf(2), []]);
	time.pass(4000);
	await until("it has looked", () => found.length === 1);
	equal([asked, shown()], [3, []]);
});

/** @param {number} failures */
const backoffOf = (failures) => (250 + 1000 * 2 ** failures) / 2;

test("an answer that comes after the reader went to the archive removes nothing there", async () => {
	inbox("a:1@9 read");
	let asked = false;
	const { time, found, say } = watch(async () => {
		asked = true;
		inbox("z:1@3 read");
		document.getElementById("arrivals")?.remove();
		return part(12, ["a:1@9 read"]);
	});
	say("badge", badge(1, 0, 12));
	time.pass(1000);
	await until("it has asked", () => asked);
	await Promise.resolve();
	equal([shown(), found], [["z:1@3 read"], []]);
});

test("a page of another user is not used", async () => {
	inbox("a:1@9 read");
	let asked = 0;
	const { time, found, say } = watch(async () => (asked++, null));
	say("badge", badge(1, 0, 12));
	time.pass(60_000);
	await until("it has looked", () => asked === 1);
	equal([found, shown()], [[], ["a:1@9 read"]]);
});

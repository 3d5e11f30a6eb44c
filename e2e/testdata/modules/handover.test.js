// @ts-check
import { byId, equal, test } from "./check.js";
import { said, several, start, titles, toast } from "./toastpage.js";

test("toasts with time left continue in the tab's next page, once and without being announced", () => {
	const first = start();
	first.say("toast", toast(1));
	first.time.pass(3000);
	for (const [n, rest] of /** @type {[number, object][]} */ ([[2, { notice: 2, key: "a:b", at: 9 }], [3, {}]])) first.say("toast", toast(n, rest));
	first.say("toast", several("4-0", 1));
	dispatchEvent(new Event("pagehide"));
	equal(titles(), []);
	byId("popups").remove();
	byId("popups-voice").remove();

	const { time, acks } = start({ at: 3500 });
	equal(titles(), ["1 more Open inbox", "Title 3", "Title 2", "Title 1"]);
	time.pass(4999);
	equal([titles().length, said(), acks], [4, [], []]);
	time.pass(1);
	equal(titles(), ["1 more Open inbox", "Title 3", "Title 2"]);
	time.pass(3000);
	equal(titles(), []);
	for (const user of ["bob", "alice"]) {
		sessionStorage.setItem("carillon-toasts", JSON.stringify({ user: "alice", at: time.date().getTime(), toasts: [{ toast: toast(9), left: 9 }] }));
		byId("popups").remove();
		byId("popups-voice").remove();
		document.body.dataset.user = user;
		start({ at: time.at + 100 });
		equal([titles(), sessionStorage.length], [user === "alice" ? ["Title 9"] : [], 0]);
	}
});

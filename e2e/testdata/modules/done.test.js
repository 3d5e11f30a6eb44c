// @ts-check
import { clear, report, showDone, startDone, undo } from "../../../static/js/done.js";
import { drop } from "../../../static/js/undo.js";
import { byId, equal, test } from "./check.js";
import { look, Time } from "./fakes.js";

const time = new Time();
/** @type {string[]} */ let sent = [];
startDone(time);
document.addEventListener("submit", (e) => {
	e.preventDefault();
	if (e.target instanceof HTMLFormElement) sent.push(e.target.dataset.key ?? "");
});

/** Puts the line into the page as an answer does. @param {string} phrase @param {string} [key] */
function answered(phrase, key) {
	document.getElementById("done")?.remove();
	const form = key ? `<form data-key="${key}"><button>Undo</button></form>` : "";
	document.body.insertAdjacentHTML("afterbegin", `<div id="done" class="done"><p>${phrase}</p>${form}</div>`);
	showDone();
}

/** Returns the text of the line, and what its Undo would send. */
function shown() {
	const form = byId("done").querySelector("form");
	return [byId("done").querySelector("p")?.textContent ?? "", form?.dataset.key ?? ""];
}

/** Undoes the last change, and answers so. */
function undone() {
	const form = byId("done").querySelector("form");
	undo();
	drop(form ?? undefined);
	answered("Restored.");
}

function nothing() {
	sent = [];
	document.body.insertAdjacentHTML("afterbegin", `<div id="done" class="done"></div>`);
}

test("Undo reverts one change after the other, and says how many are left", () => {
	nothing();
	answered("Deleted.", "a");
	equal(shown(), ["Deleted.", "a"]);
	answered("Deleted.", "b");
	answered("Deleted.", "c");
	equal(shown(), ["Deleted. 3 changes can be undone.", "c"]);
	undone();
	equal(shown(), ["Restored. 2 changes can be undone.", "b"]);
	answered("Marked as read."); // an action without Undo hides no earlier one
	equal(shown(), ["Marked as read. 2 changes can be undone.", "b"]);
	undone();
	equal(shown(), ["Restored. 1 change can be undone.", "a"]);
	undone();
	equal(shown(), ["Restored.", ""]);
	equal(sent, ["c", "b", "a"]);
	undo();
	equal(sent, ["c", "b", "a"], "with nothing left");
});

test("the line disappears after ten seconds, and the change can still be undone", () => {
	nothing();
	answered("Deleted.", "a");
	time.pass(9_999);
	equal(shown(), ["Deleted.", "a"]);
	time.pass(1);
	equal([byId("done").childElementCount, byId("done").className], [0, "done"]);
	undo();
	equal([sent, shown()], [["a"], ["1 change can be undone.", "a"]]);
	drop(byId("done").querySelector("form") ?? undefined);
});

test("the line stays under the pointer, with the focus, and while the page is hidden", () => {
	nothing();
	answered("Deleted.", "a");
	const [line, main] = [byId("done"), document.querySelector("main")];
	const point = (/** @type {Element | null} */ at) => at?.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse" }));
	point(line.querySelector("p"));
	time.pass(60_000);
	equal(shown()[0], "Deleted.", "under the pointer");
	point(main);
	line.querySelector("button")?.focus();
	time.pass(60_000);
	equal(shown()[0], "Deleted.", "with the focus");
	byId("bell").focus();
	look("hidden");
	time.pass(60_000);
	equal(shown()[0], "Deleted.", "in a page that is hidden");
	look("visible");
	time.pass(10_000);
	equal(line.childElementCount, 0);
	point(line);
	answered("Deleted.", "b");
	clear();
	answered("Deleted.", "c");
	time.pass(10_000);
	equal(byId("done").childElementCount, 0, "the pointer is where a line went");
	for (let i = 0; i < 3; i++) {
		undo();
		drop(byId("done").querySelector("form") ?? undefined);
		byId("done").replaceChildren();
	}
});

test("a report of something the reader did not cause stays until closed, and has no Undo", () => {
	nothing();
	answered("Deleted.", "a");
	report("This announcement has changed.", { href: "/announcements/5", text: "Show" });
	time.pass(60_000);
	equal(shown(), ["This announcement has changed.", ""]);
	undo();
	equal(sent, ["a"], "z undoes nevertheless");
});

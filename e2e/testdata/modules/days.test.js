// @ts-check
import { joinDays } from "../../../static/js/days.js";
import { startInbox } from "../../../static/js/inbox.js";
import { rowsOf, showEmpty } from "../../../static/js/rows.js";
import { equal, tell, test } from "./check.js";
import { row } from "./inboxpage.js";

/** @param {string} heading @param {string[]} keys @param {boolean} [isNew] */
function section(heading, keys, isNew = false) {
	const all = keys.map((key) => row(`${key}@9 read`).replace("<li", `<li id="${key.replace(":", "")}"`)).join("");
	return `<section ${isNew ? `data-fresh="${keys.length}"` : ""}><div class="day"><h2>${heading}</h2></div><ul class="rows">${all}</ul></section>`;
}

/** @param {string[]} sections */
function list(...sections) {
	const main = document.querySelector("main");
	if (main) main.innerHTML = `<a id="arrivals" hidden></a><div id="list">${sections.join("")}</div><template id="when-empty"><p class="empty"></p></template>`;
}

const headings = () => [...document.querySelectorAll("h2")].map((h) => h.textContent);

test("the number of what is new falls with rows that go, and rises with rows that come back", () => {
	list(section("New · 3", ["a:1", "b:1", "c:1"], true), section("Today 4", ["d:1"]));
	const stream = new EventTarget();
	startInbox(stream);
	tell(stream, "removed", { key: "b:1", ver: 11 });
	equal(headings(), ["New · 2", "Today 4"], "removed in another tab");
	tell(stream, "removed", { key: "d:1", ver: 12 });
	equal(headings(), ["New · 2", "Today 4"], "a row of another section");
	const [c] = rowsOf("c:1");
	if (!c) throw new Error("no row");
	c.hidden = true; // the answer to an action
	showEmpty();
	equal(headings()[0], "New · 1", "archived here");
	c.hidden = false;
	showEmpty();
	showEmpty();
	equal(headings()[0], "New · 2", "Undo");
});

test("rows on other pages count, and the rows of older pages join theirs", () => {
	list(section("New · 1,001", ["a:1", "b:1"], true));
	for (const one of rowsOf("a:1")) one.hidden = true;
	showEmpty();
	equal(headings(), ["New · 1,000"]);
	document.getElementById("list")?.insertAdjacentHTML("beforeend", section("New · 2", ["c:1", "d:1"], true) + section("Today", ["e:1"]));
	joinDays();
	equal(headings(), ["New · 1,000", "Today"]);
	for (const one of rowsOf("c:1")) one.hidden = true;
	showEmpty();
	equal(headings(), ["New · 999", "Today"]);
});

// @ts-check
import { startPanel } from "../../../static/js/panel.js";
import { byId, equal, tell, test, until } from "./check.js";

/** @param {string} key @param {number} at @param {string} title */
const row = (key, at, title) =>
	`<li class="row" data-testid="panel-entry" data-key="${key}" data-at="${at}" data-state="unread"><article><h3><a dir="auto" href="/${at}">${title}</a></h3></article></li>`;

test("a row of the open panel that was edited says so in its place; others stay", async () => {
	document.body.insertAdjacentHTML("beforeend", `<section id="panel">${row("a:1", 9, "Old")}${row("b:1", 8, "Same")}</section>`);
	const stream = new EventTarget();
	let asked = 0;
	/** @type {(Document | Error)[]} */ const answers = [
		new Error("503"),
		new DOMParser().parseFromString(row("a:1", 11, "Another"), "text/html"), // its key came again
		new DOMParser().parseFromString(row("a:1", 9, "New") + row("b:1", 8, "Other"), "text/html"),
	];
	startPanel(stream, async () => {
		const answer = answers[asked++];
		if (answer instanceof Error) throw answer;
		return answer ?? null;
	});
	const first = byId("panel").querySelector(".row");
	tell(stream, "changed", { key: "z:1", ver: 11 });
	equal(asked, 0, "looks for a row that is not there");
	for (let i = 0; i < answers.length; i++) tell(stream, "changed", { key: "a:1", ver: 12 + i });
	await until("it says something else", () => first?.textContent === "New");
	equal([...byId("panel").querySelectorAll("a")].map((a) => a.textContent), ["New", "Same"]);
	equal([asked, byId("panel").querySelector(".row") === first], [3, true]);
});

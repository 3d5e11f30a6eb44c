// @ts-check
import { startPanel } from "../../../static/js/panel.js";
import { byId, equal, tell, test, until } from "./check.js";

/** @param {string} key @param {number} at @param {string} title */
const row = (key, at, title) =>
	`<li class="row" data-testid="panel-entry" data-key="${key}" data-at="${at}" data-state="unread"><article><h3><a dir="auto" href="/${at}">${title}</a></h3></article></li>`;

test("an edited row of the open panel gets its new text in place; the others stay", async () => {
	document.body.insertAdjacentHTML("beforeend", `<section id="panel">${row("a:1", 9, "Old")}${row("b:1", 8, "Same")}</section>`);
	const stream = new EventTarget();
	let asked = 0;
	/** @type {(Document | Error)[]} */ const answers = [
		new Error("503"),
		new DOMParser().parseFromString(row("a:1", 11, "Another"), "text/html"), // its key was delivered again
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

test("a panel that could not be loaded offers to try again, and a link to the inbox", async () => {
	document.body.insertAdjacentHTML("beforeend", `<section id="panel" tabindex="-1" hidden></section>`);
	let asked = 0;
	/** @type {any} */ (window).htmx = {
		ajax: async (/** @type {string} */ _method, /** @type {string} */ _address, /** @type {{target: Element}} */ { target }) => {
			if (++asked === 1) throw new Error("503");
			target.innerHTML = `<p class="rows">Here it is</p>`;
		},
	};
	startPanel(new EventTarget());
	byId("bell").click();
	await until("it says so", () => byId("panel").querySelector(".again") !== null);
	equal([byId("panel").querySelector(".waiting")?.textContent, byId("panel").querySelector("a")?.getAttribute("href")], ["Couldn't load your notifications.", "/inbox"]);
	const again = byId("panel").querySelector("button.again");
	if (again instanceof HTMLButtonElement) again.click();
	await until("it is there", () => byId("panel").querySelector(".rows") !== null);
	equal([asked, document.activeElement?.id], [2, "panel"]);
	delete (/** @type {any} */ (window).htmx);
});

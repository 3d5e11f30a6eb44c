// @ts-check
import { startKeys } from "../../../static/js/keys.js";
import { byId, equal, test } from "./check.js";

/** @type {string[]} */ const followed = [];
let started = false;

/** Fills the page with rows that have links, and a link to older ones. @param {string[]} ids */
function page(...ids) {
	followed.length = 0;
	document.body.insertAdjacentHTML("beforeend", `<dialog id="help"></dialog>`);
	document.body.dataset.keys = "on";
	const main = document.querySelector("main");
	if (!main) throw new Error("no main");
	main.innerHTML = ids.map((id) => `<div class="row" id="${id}" tabindex="-1" data-testid="entry"><h3><a href="#${id}">${id}</a></h3><button>x</button></div>`).join("");
	main.insertAdjacentHTML("beforeend", `<p id="pager"><a rel="next" href="#older">Older</a></p>`);
	main.addEventListener("click", (e) => {
		e.preventDefault();
		if (e.target instanceof HTMLAnchorElement) followed.push(e.target.hash);
	});
	if (!started) startKeys();
	started = true;
}

/** @param {string} key */
const press = (key) => (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

test("Enter follows the selected row, and is left to links and buttons inside it", () => {
	page("one", "two");
	press("j");
	press("j");
	press("Enter");
	equal(followed, ["#two"]);
	byId("two").querySelector("button")?.focus();
	press("Enter");
	equal(followed, ["#two"], "what the button does is its own");
	byId("bell").focus();
	press("Enter");
	equal(followed, ["#two"], "outside of the rows");
});

test("j on the last row requests older ones, but not again while that request is under way", () => {
	page("one", "two");
	for (let i = 0; i < 2; i++) press("j");
	equal([followed, document.activeElement?.id], [[], "two"]);
	press("j");
	equal(followed, ["#older"]);
	document.querySelector("[rel=next]")?.classList.add("htmx-request");
	press("j");
	equal([followed, document.activeElement?.id], [["#older"], "two"]);
	document.querySelector("[rel=next]")?.remove();
	press("j");
	equal(document.activeElement?.id, "two", "at the end of all");
});

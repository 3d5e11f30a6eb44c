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

/** @param {string} key @param {KeyboardEventInit} [more] */
const press = (key, more) => (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));

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

test("n goes to the next row with a dot, and from the last one to the first", () => {
	page("one", "two", "three", "four");
	for (const id of ["two", "four"]) byId(id).querySelector("h3")?.insertAdjacentHTML("afterbegin", `<span class="dot"></span>`);
	const visited = [1, 2, 3].map(() => (press("n"), document.activeElement?.id));
	equal(visited, ["two", "four", "two"]);
	byId("four").hidden = true;
	byId("one").focus();
	equal([1, 2].map(() => (press("n"), document.activeElement?.id)), ["two", "two"], "the next one is hidden");
	document.querySelectorAll(".dot").forEach((dot) => dot.remove());
	press("n");
	equal(document.activeElement?.id, "two", "nothing is unread");
});

/** Adds what m and g s press. @returns {string[]} what was pressed */
function pressable() {
	/** @type {string[]} */ const pressed = [];
	byId("two").insertAdjacentHTML("beforeend", `<form action="/carillon/settings/mute"><button>Mute</button></form><input>`);
	document.body.insertAdjacentHTML("beforeend", `<a href="#staff" data-go="s">Staff</a>`);
	document.querySelector("form button")?.addEventListener("click", () => pressed.push("mute"));
	document.querySelector("[data-go]")?.addEventListener("click", (e) => (e.preventDefault(), pressed.push("staff")));
	return pressed;
}

test("m mutes the category of the focused row, and g s goes to the staff pages or the settings", () => {
	page("one", "two");
	const pressed = pressable();
	press("m");
	press("j");
	press("m");
	equal(pressed, [], "no row has the focus, or it cannot be muted");
	press("j");
	press("m");
	press("m", { repeat: true });
	equal(pressed, ["mute"]);
	press("g");
	press("s");
	press("s");
	equal(pressed, ["mute", "staff"]);
});

test("keys do nothing while the user types, or with Ctrl, Alt or Meta", () => {
	page("one", "two");
	const pressed = pressable();
	byId("two").focus();
	for (const more of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }]) {
		press("m", more);
		press("g", more);
		press("s");
	}
	byId("two").querySelector("input")?.focus();
	for (const key of ["m", "g", "s", "n"]) press(key);
	equal([pressed, document.activeElement?.tagName], [[], "INPUT"]);
});

// @ts-check
import { startTokens } from "../../../static/js/tokens.js";
import { byId, equal, test, until } from "./check.js";

/** @param {string} value @param {string[]} known names with spaces */
function start(value, known = [], spaced = true) {
	document.querySelector("main")?.insertAdjacentHTML("beforeend",
		'<form><label for="to">Names</label><textarea id="to" name="to"></textarea><p id="to-hint">Usernames.</p></form>');
	const field = /** @type {HTMLTextAreaElement} */ (byId("to"));
	field.value = value;
	const entry = startTokens(field, () => spaced, async (name) => known.includes(name));
	const shown = () => [...document.querySelectorAll(".token span")].map((token) => token.textContent);
	const sent = () => new FormData(/** @type {HTMLFormElement} */ (field.form)).getAll("to");
	/** @param {string} text */
	const type = (text) => {
		entry.value += text;
		entry.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
	};
	/** @param {string} key */
	const press = (key) => entry.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	return { field, entry, shown, sent, type, press };
}

test("each name becomes a token, and what is being typed is sent too", () => {
	const { entry, shown, sent, type, press } = start("bob; carol\nerin");
	equal(shown(), ["bob", "carol", "erin"]);
	type("da");
	equal([shown().length, sent()], [3, ["bob, carol, erin, da"]]);
	type("ve,bob, f");
	equal([shown(), entry.value, sent()], [["bob", "carol", "erin", "dave"], "f", ["bob, carol, erin, dave, f"]], "a name counts once");
	press("Enter");
	equal([shown().at(-1), entry.value], ["f", ""]);
});

test("a token is removed by its button or Backspace, and focus stays", () => {
	const { entry, field, shown, press } = start("bob, carol, erin");
	const buttons = () => [...document.querySelectorAll("button")];
	buttons()[1]?.click();
	equal([shown(), field.value], [["bob", "erin"], "bob, erin"]);
	equal(document.activeElement, buttons()[1], "the next one has the focus");
	entry.focus();
	press("Backspace");
	equal([shown(), entry.value, field.value], [["bob"], "erin", "bob, erin"], "its text can be corrected");
});

test("spaces separate names, unless a user has such a name", async () => {
	const { shown, type } = start("", ["Mary Ann"]);
	type("bob carol, Mary Ann,");
	await until("the words are names", () => shown().length === 3);
	equal(shown(), ["bob", "carol", "Mary Ann"]);
});

test("spaces do not separate roles", async () => {
	const { shown, type } = start("", [], false);
	type("night shift,");
	await Promise.resolve();
	equal(shown(), ["night shift"]);
});

test("names that something else puts into the field are shown", () => {
	const { field, entry, shown } = start("bob");
	field.value = "carol, dave";
	field.dispatchEvent(new InputEvent("input", { bubbles: true }));
	equal(shown(), ["carol", "dave"]);
	field.value = "";
	field.form?.dispatchEvent(new Event("change", { bubbles: true }));
	equal(shown(), []);
	field.focus();
	equal(document.activeElement, entry);
});

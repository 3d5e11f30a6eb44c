// @ts-check
import { Recipients } from "../../../static/js/recipients.js";
import { startTokens } from "../../../static/js/tokens.js";
import { byId, equal, test, until } from "./check.js";

const radio = (/** @type {string} */ kind, checked = false) => `<input type="radio" name="target" id="target-${kind}" value="${kind}" ${checked ? "checked" : ""}>`;
const box = (/** @type {string} */ field, /** @type {string} */ value, text = value, checked = false) =>
	`<label><input type="checkbox" name="${field}" value="${value}" ${checked ? "checked" : ""}> ${text} <span class="note">2 people</span></label>`;

/** @param {string} value @param {string[]} known users with these names @param {{kind?: string, roles?: string[], more?: string}} [given] */
function start(value, known = [], { kind = "user", roles = [], more = "" } = {}) {
	document.querySelector("main")?.insertAdjacentHTML("beforeend", `<form>
		<fieldset class="kinds"><label class="notification" for="target-user">Notification</label>${["audience", "user", "role", "topic"].map((k) => radio(k, k === kind)).join("")}</fieldset>
		<label for="to">To</label><textarea id="to" name="to" data-followers="Followers of {Topic}" data-scoped="{Type} ({Scope})"></textarea><p id="to-hint">Names.</p><input type="hidden" name="to_kept">
		<div id="to_role"><div class="choices">${["picker", "night shift"].map((r) => box("to_role", r, r, roles.includes(r))).join("")}</div></div>
		<div id="to_audience"><div class="choices">${box("to_audience", "customer", "Customer")}</div></div>
		<input name="type"><span id="type-name"></span><input name="scope"><input name="send_at"><input name="starts_at">${more}</form>`);
	const field = /** @type {HTMLTextAreaElement} */ (byId("to"));
	field.value = value;
	const form = /** @type {HTMLFormElement} */ (field.form);
	const recipients = new Recipients(form, field);
	const { entry, add } = startTokens(field, recipients, async (name) => known.includes(name));
	const shown = () => [...document.querySelectorAll(".token > [dir]")].map((token) => token.textContent);
	const sent = () => [...new FormData(form)].filter(([name, value]) => value && /^(target|to|to_role|to_audience|to_kept|type|scope)$/.test(name)).map(([name, value]) => `${name}=${value}`).join("&");
	/** @param {string} text */
	const type = (text) => {
		entry.value += text;
		entry.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
	};
	/** @param {string} key */
	const press = (key) => entry.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	const turn = (/** @type {string} */ to) => /** @type {HTMLInputElement} */ (byId(to)).click();
	return { field, form, entry, add, shown, sent, type, press, turn };
}

test("each name becomes a token, and what is being typed is sent too", () => {
	const { entry, shown, sent, type, press } = start("bob; carol\nerin");
	equal(shown(), ["bob", "carol", "erin"]);
	type("da");
	equal([shown().length, sent()], [3, "target=user&to=bob, carol, erin, da"]);
	type("ve,bob, f");
	equal([shown(), entry.value, sent()], [["bob", "carol", "erin", "dave"], "f", "target=user&to=bob, carol, erin, dave, f"], "a name counts once");
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

test("groups are ticked behind the field, whose tokens say how many they are", () => {
	const { add, sent, shown, type } = start("");
	add({ kind: "role", name: "picker", note: "2 people" });
	equal([shown(), sent(), document.querySelector(".token small")?.textContent], [["picker"], "target=role&to_role=picker", "2 people"]);
	type("NIGHT SHIFT, nobody,");
	equal([shown(), sent()], [["picker", "night shift", "nobody"], "target=role&to_role=picker&to_role=night shift&to_role=nobody"], "the server says that one is unknown");
	for (let i = 0; i < 3; i++) document.querySelector("button")?.click();
	equal([shown(), sent()], [[], "target=user"]);
});

test("a typed group that no user is called is the group", async () => {
	const { shown, sent, type } = start("", ["night shift"]);
	type("picker,");
	await until("the group is chosen", () => sent() === "target=role&to_role=picker");
	equal(shown(), ["picker"]);
});

test("followers fill in the category and what it is only for, and are alone", () => {
	const { form, add, sent, shown, entry } = start("");
	add({ kind: "topic", name: "rep", scope: "119240", note: "3 people", label: "Restocking (119240)" });
	equal([shown(), sent()], [["Followers of Restocking (119240)"], "target=topic&type=rep&scope=119240"]);
	equal([entry.checkVisibility(), document.activeElement?.tagName], [false, "BUTTON"]);
	const scope = /** @type {HTMLInputElement} */ (form.elements.namedItem("scope"));
	scope.value = "7";
	scope.dispatchEvent(new InputEvent("input", { bubbles: true }));
	equal(shown(), ["Followers of rep (7)"], "the field follows the others");
	document.querySelector("button")?.click();
	equal([shown(), sent(), entry.checkVisibility()], [[], "target=user&type=rep", true]);
});

test("an announcement has recipients of its own, and a notification keeps its", () => {
	const { add, sent, shown, turn } = start("", [], { kind: "role", roles: ["picker"] });
	equal([shown(), sent()], [["picker"], "target=role&to_role=picker"]);
	turn("target-audience");
	equal(shown(), []);
	add({ kind: "audience", name: "customer", note: "4 people", label: "Customer" });
	equal([shown(), sent()], [["Customer"], "target=audience&to_role=picker&to_audience=customer"]);
	/** @type {HTMLElement} */ (document.querySelector(".notification")).click();
	equal([shown(), sent()], [["picker"], "target=role&to_role=picker&to_audience=customer"]);
});

test("names wait while an announcement is written", () => {
	const { sent, shown, turn } = start("bob, carol");
	turn("target-audience");
	equal([shown(), sent()], [[], "target=audience&to_kept=bob, carol"]);
	turn("target-user");
	equal([shown(), sent()], [["bob", "carol"], "target=user&to=bob, carol"]);
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

// @ts-check
import { startCompletion } from "../../../static/js/complete.js";
import { completed, nameAt, offers } from "../../../static/js/names.js";
import { byId, equal, test, until } from "./check.js";
import { Time } from "./fakes.js";

/** Parses a text with | as the caret. @param {string} text */
function at(text, several = true) {
	return nameAt(text.replace("|", ""), text.indexOf("|"), several);
}

/** @param {string} text @param {string} name */
function after(text, name, several = true) {
	const whole = text.replace("|", "");
	const typed = at(text, several);
	return whole.slice(0, typed.begin) + completed(whole, typed, name, several) + whole.slice(typed.end);
}

test("the name under the caret is completed", () => {
	for (const [text, part, others] of /** @type {[string, string, string[]][]} */ ([
		["|", "", []],
		["ca|", "ca", []],
		["alice, ca|", "ca", ["alice"]],
		["alice,\nbo|b , carol", "bo", ["alice", "carol"]],
		["alice|\r\nbob", "alice", ["bob"]],
		["alice, |", "", ["alice"]],
		["  Mary Ann|", "Mary Ann", []],
		["字|,", "字", []],
	])) {
		const typed = at(text);
		equal([typed.part, typed.others], [part, others], text);
	}
	equal(at("night shift, two|", false).part, "night shift, two", "a role is the whole field");
});

test("a chosen name replaces the typed name and nothing else", () => {
	equal(after("ca|", "carol"), "carol, ");
	equal(after("alice,  ca|", "carol"), "alice,  carol, ");
	equal(after("al|, bob", "alice"), "alice, bob");
	equal(after("al|xyz\nbob", "alice"), "alice\nbob");
	equal(after("al|  ", "alice"), "alice, ");
	equal(after("pick|", "picker", false), "picker");
	equal(after("night, sh|ift", "night, shift", false), "night, shift");
});

test("no name is suggested that the field already has, cannot hold, or has in full", () => {
	const named = (/** @type {string[]} */ ...names) => names.map((name) => ({ name }));
	const left = (/** @type {string} */ text, /** @type {{name: string}[]} */ names, several = true) =>
		offers(names, at(text, several), several).map(({ name }) => name);
	equal(left("alice, a|, adam", named("alice", "adam", "anna")), ["anna"]);
	equal(left("a|", named("a,b", "a\nb", " a", "ab")), ["ab"]);
	equal(left("a|", named("a,b", "ab"), false), ["a,b", "ab"], "roles");
	equal(left("bob|", named("bob")), []);
	equal(offers([{ name: "bob", fresh: true }], at("bob|"), false).length, 1, "a new one says that it is new");
	equal(left("bob|", named("bob", "bobby")), ["bob", "bobby"]);
});

function start(target = "user", control = '<textarea id="to"></textarea>') {
	document.querySelector("main")?.insertAdjacentHTML("beforeend", `${control}<div id="to-names" role="listbox" hidden></div>`);
	const [field, list] = [/** @type {HTMLTextAreaElement | HTMLInputElement} */ (byId("to")), byId("to-names")];
	const time = new Time();
	/** @type {{part: string, signal: AbortSignal, answer: (...names: string[]) => void}[]} */ const asked = [];
	startCompletion(field, list, () => target, (part, _, signal) =>
		new Promise((resolve) => asked.push({ part, signal, answer: (...names) => resolve(names.map((name) => ({ name, note: "Customer" }))) })), time);
	field.focus();
	/** @param {string} text */
	const type = (text) => {
		field.value += text;
		field.setSelectionRange(field.value.length, field.value.length);
		field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
	};
	/** @param {string} key @returns whether the browser's default action would follow */
	const press = (key) => field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	const offered = () => (list.hidden ? [] : [...list.querySelectorAll("[role=option] span")].map((o) => o.textContent));
	const chosen = () => document.getElementById(field.getAttribute("aria-activedescendant") ?? "")?.querySelector("span")?.textContent ?? "";
	return { field, list, time, asked, type, press, offered, chosen };
}

test("the server is asked once typing pauses, and an older request is cancelled", async () => {
	const { time, asked, type, offered } = start();
	type("c");
	time.pass(100);
	type("a");
	time.pass(100);
	equal(asked.length, 0, "asked too early");
	time.pass(100);
	equal(asked.map(({ part }) => part), ["ca"]);
	type("r");
	equal(asked[0]?.signal.aborted, true, "the older request is called off");
	time.pass(200);
	asked[1]?.answer("carol");
	asked[0]?.answer("cain");
	await until("names are offered", () => offered().length > 0);
	equal(offered(), ["carol"]);
	type("x");
	equal(offered(), [], "what fits no more");
});

test("arrows select, Enter and Tab accept, Escape closes, and every other key keeps its default action", async () => {
	const { field, time, asked, type, press, offered, chosen } = start();
	equal(press("Enter"), true, "Enter is a line break");
	type("a");
	time.pass(200);
	asked[0]?.answer("alice", "anna", "ada");
	await until("names are offered", () => offered().length === 3);
	equal(chosen(), "alice");
	press("ArrowUp");
	equal(chosen(), "ada", "above the first is the last");
	press("ArrowDown");
	press("ArrowDown");
	equal(chosen(), "anna");
	equal(press("Enter"), false);
	equal([field.value, field.selectionEnd, offered(), asked.length], ["anna, ", 6, [], 1]);
	equal(press("Enter"), true, "Enter is a line break again");
	type("al");
	time.pass(200);
	asked[1]?.answer("anna", "alice", "alan");
	await until("names are offered", () => offered().length > 0);
	equal(offered(), ["alice", "alan"], "not who is there already");
	press("Escape");
	equal([offered(), field.hasAttribute("aria-activedescendant"), press("Tab")], [[], false, true]);
	type("i");
	time.pass(200);
	asked[2]?.answer("alice", "alicia");
	await until("names are offered", () => offered().length > 0);
	equal([press("Tab"), field.value], [false, "anna, alice, "]);
});

test("Tab moves on from a name typed in full, although longer ones are suggested", async () => {
	const { field, time, asked, type, press, offered } = start();
	type("bob");
	time.pass(200);
	asked[0]?.answer("bob", "bobby");
	await until("names are offered", () => offered().length > 0);
	equal([press("Tab"), field.value, offered()], [true, "bob", []]);
});

test("a click opens the list of categories whatever is typed, with the icon and name of each, and the keys choose", async () => {
	document.querySelector("main")?.insertAdjacentHTML("beforeend", `<svg class="icon"><use href="/sprite.svg#bell"></use></svg>
		<input id="to" value="order.late"><div id="to-names" role="listbox" hidden></div>`);
	const [field, list] = [/** @type {HTMLInputElement} */ (byId("to")), byId("to-names")];
	/** @type {string[]} */ const asked = [];
	/** @type {string[]} */ const fresh = [];
	startCompletion(field, list, () => "type", async (part) => {
		asked.push(part);
		return [
			{ name: "like", note: "like", label: "Likes", icon: "heart", tint: "green" },
			{ name: "order.late", note: "order.late", label: "Late orders", initials: "OL", tint: "blue" },
			{ name: "", note: "", label: "New…", fresh: true },
		];
	}, new Time(), ({ name }) => fresh.push(`new ${name}`));
	const press = (/** @type {string} */ key) => field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	const current = () => document.getElementById(field.getAttribute("aria-activedescendant") ?? "")?.querySelector("span")?.textContent;
	field.focus();
	field.click();
	await until("the list is open", () => !list.hidden);
	equal(asked, [""], "all are asked for");
	equal([...list.children].map((one) => one.querySelector("span")?.textContent), ["Likes", "Late orders", "New…"]);
	equal(current(), "Late orders", "the one that is typed is current");
	equal(list.querySelector("use")?.getAttribute("href"), "/sprite.svg#heart", "the icon");
	equal([...list.querySelectorAll(".avatar")].map((mark) => mark.className), ["avatar tint-green", "avatar tint-blue"]);
	press("ArrowUp");
	press("Enter");
	equal([field.value, list.hidden, document.activeElement === field], ["like", true, true]);
	press("ArrowDown");
	await until("the list is open again", () => !list.hidden);
	press("ArrowUp"); // from the first to the last
	equal(current(), "New…");
	press("Enter");
	equal([field.value, fresh], ["", ["new "]], "a new one is typed");
});

test("a role fills the whole field, a click accepts it, and the number of suggestions is announced", async () => {
	const { field, list, time, asked, type, offered } = start("role");
	type("pi");
	time.pass(200);
	asked[0]?.answer("picker", "pilot");
	await until("it was said", () => byId("announcer").textContent === "2 matches");
	equal(offered(), ["picker", "pilot"]);
	list.querySelector("[role=option]:last-child small")?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
	equal([field.value, offered()], ["pilot", []]);
});

test("a one-line field is a combobox that says whether its list is open", async () => {
	const { field, time, asked, type, press, offered, chosen } = start("role", '<input id="to">');
	const expanded = () => field.getAttribute("aria-expanded");
	equal([field.getAttribute("role"), expanded()], ["combobox", "false"]);
	type("pi");
	time.pass(200);
	asked[0]?.answer("picker", "pilot");
	await until("names are offered", () => offered().length === 2);
	equal([expanded(), chosen()], ["true", "picker"]);
	equal([press("Enter"), field.value, expanded()], [false, "picker", "false"], "Enter does not send the form");
});

test("a type may be a new one: only an arrow key or a click replaces the typed text", async () => {
	const { field, time, asked, type, press, offered, chosen } = start("type", '<input id="to">');
	type("order");
	time.pass(200);
	asked[0]?.answer("order.late", "order.paid");
	await until("types are offered", () => offered().length === 2);
	equal([chosen(), press("Tab"), field.value, offered()], ["", true, "order", []]);
	type(".");
	time.pass(200);
	asked[1]?.answer("order.late", "order.paid");
	await until("types are offered", () => offered().length === 2);
	press("ArrowUp");
	equal(chosen(), "order.paid", "up from none is the last");
	press("ArrowDown");
	equal([chosen(), press("Tab"), field.value], ["order.late", false, "order.late"]);
	type("r");
	time.pass(200);
	asked[2]?.answer("order.later", "order.latest");
	await until("types are offered", () => offered().length === 2);
	press("ArrowDown");
	equal(chosen(), "order.later", "down from none is the first");
});

test("recipients are offered in sections, and who just looks chooses none", async () => {
	document.querySelector("main")?.insertAdjacentHTML("beforeend", '<form><input id="to"><div id="to-names" role="listbox" hidden></div></form>');
	const [field, list] = [/** @type {HTMLInputElement} */ (byId("to")), byId("to-names")];
	/** @type {string[]} */ const taken = [];
	startCompletion(field, list, () => "to", async () => [
		{ name: "pickard", note: "Customer", kind: "user", section: "People" },
		{ name: "pick", note: "2 people", kind: "role", section: "Groups" },
		{ name: "pickers", note: "9 people", kind: "role", section: "Groups" },
	], new Time(), ({ name, kind }) => taken.push(`${kind} ${name}`));
	const press = (/** @type {string} */ key) => field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	const current = () => document.getElementById(field.getAttribute("aria-activedescendant") ?? "")?.querySelector("span")?.textContent ?? "";
	field.focus();
	field.click();
	await until("the list is open", () => !list.hidden);
	equal([...list.querySelectorAll("[role=group]")].map((group) => `${byId(group.getAttribute("aria-labelledby") ?? "").textContent}: ${group.querySelectorAll("[role=option]").length}`), ["People: 1", "Groups: 2"]);
	equal([current(), press("Enter"), list.hidden, taken.length], ["", false, true, 0], "Enter neither chooses nor sends");
	field.value = "pick";
	press("ArrowDown");
	await until("the list is open again", () => !list.hidden);
	equal(current(), "pick", "the one of this name comes first");
	press("ArrowDown");
	press("Enter");
	equal([taken, field.value], [["role pickers"], ""]);
});

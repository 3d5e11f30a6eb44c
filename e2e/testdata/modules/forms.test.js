// @ts-check
import { startDrafts } from "../../../static/js/drafts.js";
import { startForm } from "../../../static/js/forms.js";
import { byId, equal, test, until } from "./check.js";
import { Time } from "./fakes.js";

const fields = `<input type="hidden" name="page_user" value="alice"><input type="hidden" name="once" value="ONCE">
	<fieldset id="target"><input type="radio" name="target" value="user" checked><input type="radio" name="target" value="role"><input type="radio" name="target" value="topic"></fieldset>
	<input id="title" name="title"><textarea name="body"></textarea><input type="password" name="password"><input type="checkbox" name="toast" value="1">
	<select name="keep"><option value=""></option><option value="72h"></option></select>`;

/** @param {string} once the token in the page @param {boolean} [answered] @param {string} [early] a title typed before the script runs, beside two choices */
function start(once = "ONCE", answered = false, early = "") {
	const main = document.querySelector("main");
	if (main) {
		main.innerHTML = `<form id="send" data-kept="send" action="/staff/send" method="post">${fields.replace("ONCE", once)}
			<div class="buttons"><button class="primary">Send</button><button name="preview" value="1">Preview</button></div></form>`;
	}
	const form = /** @type {HTMLFormElement} */ (byId("send"));
	if (early) {
		/** @type {HTMLInputElement} */ (form.elements.namedItem("title")).value = early;
		/** @type {HTMLSelectElement} */ (form.elements.namedItem("keep")).value = "72h";
		choose(form, "topic");
	}
	const time = new Time();
	/** @type {{body: string, signal: AbortSignal, answer: (a: Response) => void, fail: () => void}[]} */ const asked = [];
	/** @type {string[]} */ const went = [];
	/** @type {string[]} */ const shown = [];
	const end = new AbortController();
	startForm(form, {
		ask: (_, body, signal) => new Promise((answer, fail) => asked.push({ body: String(body), signal, answer, fail: () => fail(new TypeError()) })),
		go: (to) => went.push(to),
		show: (page) => shown.push(page.title),
		signal: end.signal,
		time,
	}, answered);
	const button = /** @type {HTMLButtonElement} */ (form.querySelector("button.primary"));
	/** @param {string} name @param {string} value */
	const type = (name, value) => {
		const control = /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
		control.value = value;
		control.dispatchEvent(new InputEvent("input", { bubbles: true }));
	};
	return { form, time, asked, went, shown, button, type, end };
}

/** @param {HTMLFormElement} form @param {string} target */
const choose = (form, target) => (/** @type {HTMLInputElement} */ (form.querySelector(`[name=target][value=${target}]`)).checked = true);
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
const line = () => document.querySelector("[data-testid=unsent]")?.textContent ?? "";
/** @param {HTMLFormElement} form @param {string} name */
const value = (form, name) => String(new FormData(form).get(name));

test("without an answer the form stays as it is, says so, and is sent again under the same token", async () => {
	sessionStorage.clear();
	const { form, asked, button, type, went, end } = start();
	type("title", "Not to be lost");
	button.focus();
	button.click();
	equal([button.getAttribute("aria-disabled"), button.textContent, asked.length], ["true", "Sending…", 1]);
	button.click();
	equal(asked.length, 1, "asked twice");
	asked[0]?.fail();
	await settled();
	equal([button.hasAttribute("aria-disabled"), button.textContent, value(form, "title")], [false, "Send", "Not to be lost"]);
	equal(line(), "Not sent: the server can't be reached. Your text is kept. Try again in a moment.");
	equal(document.activeElement === button, true, "the focus stays on the button");
	button.click();
	equal(line(), "", "while it is sent again");
	equal(asked[1]?.body, asked[0]?.body, "the second time it says");
	asked[1]?.answer(new Response(null, { status: 204, headers: { Location: "/staff/notices/7" } }));
	await settled();
	equal([went, line()], [["/staff/notices/7"], ""]);
	end.abort();
});

test("a request without an answer is given up", async () => {
	const { asked, button, time, end } = start();
	button.click();
	time.pass(14_000);
	equal(asked[0]?.signal.aborted, false);
	time.pass(2000);
	equal(asked[0]?.signal.aborted, true);
	end.abort();
});

test("an error without the form keeps the text; an answer with the form is shown", async () => {
	sessionStorage.clear();
	const { form, asked, button, type, shown, end } = start();
	type("title", "Kept");
	for (const [i, [status, phrase]] of /** @type {[number, string][]} */ ([
		[500, "Not sent: the server answered with an error (500). Your text is kept."],
		[429, "Not sent: the server is busy or restarting. Your text is kept. Try again in a moment."],
		[502, "Not sent: the server answered with an error (502). Your text is kept."],
		[503, "Not sent: the server is busy or restarting. Your text is kept. Try again in a moment."],
	]).entries()) {
		button.click();
		asked[i]?.answer(new Response("<h1>No</h1>", { status }));
		await until(`an answer of ${status} is told`, () => line() === phrase);
		equal([value(form, "title"), shown], ["Kept", []], `after ${status}`);
	}
	button.click();
	asked[4]?.answer(new Response(`<title>Faults</title><body data-user="alice"><form data-kept="send"></form>`, { status: 422 }));
	await until("the page with the faults is shown", () => shown.length > 0);
	equal(shown, ["Faults"]);
	end.abort();
});

test("the pressed button is sent with the form", () => {
	const { asked, form, end } = start();
	/** @type {HTMLButtonElement | null} */ (form.querySelector("[name=preview]"))?.click();
	equal(new URLSearchParams(asked[0]?.body).get("preview"), "1");
	end.abort();
});

test("a page loaded again restores the input, with the token under which it was typed", () => {
	sessionStorage.clear();
	const before = start("first");
	before.type("title", "Half a thought");
	before.type("body", "One\nTwo");
	before.type("keep", "72h");
	const role = /** @type {HTMLInputElement} */ (before.form.querySelector("[value=role]"));
	role.click();
	/** @type {HTMLInputElement} */ (before.form.elements.namedItem("toast")).click();
	before.end.abort();

	const after = start("second");
	equal(["target", "title", "body", "keep", "toast", "once"].map((name) => value(after.form, name)),
		["role", "Half a thought", "One\nTwo", "72h", "1", "first"]);
	equal(document.querySelector("[data-testid=restored]")?.textContent, "Your draft has been restored. Discard draft");
	/** @type {HTMLElement | null} */ (document.querySelector("[data-testid=restored] button"))?.click();
	equal(["target", "title", "body", "toast", "once"].map((name) => value(after.form, name)), ["user", "", "", "null", "second"]);
	after.end.abort();
	const third = start("third");
	equal([value(third.form, "title"), value(third.form, "once"), document.querySelector("[data-testid=restored]")], ["", "third", null]);
	third.end.abort();
});

test("text typed and choices made before the script runs are not overwritten by the draft", () => {
	sessionStorage.clear();
	const before = start();
	before.type("title", "Old title");
	before.type("body", "Old body");
	choose(before.form, "role");
	before.type("title", "Old title");
	before.end.abort();
	const { form, end } = start("ONCE", false, "New title");
	equal([value(form, "title"), value(form, "body"), value(form, "keep"), value(form, "target")], ["New title", "Old body", "72h", "topic"]);
	end.abort();
	sessionStorage.clear();
});

test("input that was sent, or deleted letter by letter, is not kept", async () => {
	sessionStorage.clear();
	const first = start();
	first.type("title", "Sent");
	first.button.click();
	first.asked[0]?.answer(new Response(null, { status: 204, headers: { Location: "/staff/notices/7" } }));
	await settled();
	first.end.abort();
	const second = start();
	equal(value(second.form, "title"), "");
	second.type("title", "x");
	second.type("title", "");
	second.end.abort();
	equal(document.querySelector("[data-testid=restored]"), null);
	equal(sessionStorage.getItem("carillon-drafts")?.includes("ONCE"), false);
});

test("a user who has to sign in first comes back to the form and finds the text", async () => {
	sessionStorage.clear();
	const first = start();
	first.type("title", "Written for an hour");
	first.button.click();
	first.asked[0]?.answer(new Response(null, { status: 204, headers: { Location: "/login?next=%2Fstaff%2Fsend" } }));
	await settled();
	equal(first.went, [`/login?next=${encodeURIComponent(location.pathname + location.search)}`]);
	first.end.abort();
	const back = start();
	equal(value(back.form, "title"), "Written for an hour");
	back.end.abort();
});

test("a draft belongs to its user, and is dropped when they sign out", () => {
	sessionStorage.clear();
	const mine = start();
	mine.type("title", "Mine");
	mine.type("password", "harbour");
	equal(sessionStorage.getItem("carillon-drafts")?.includes("harbour"), false); // it is kept nowhere
	mine.end.abort();
	document.body.dataset.user = "bob";
	const theirs = start();
	equal(value(theirs.form, "title"), "");
	theirs.end.abort();
	startDrafts();
	equal(sessionStorage.length, 0, "what is left of alice after bob's page");
	document.body.dataset.user = "alice";
	const again = start();
	again.type("title", "Mine again");
	again.end.abort();
	const out = document.createElement("form");
	out.action = "/logout";
	document.body.append(out);
	out.addEventListener("submit", (e) => e.preventDefault());
	out.requestSubmit();
	equal(sessionStorage.length, 0, "kept after signing out");
});

test("the number of kept forms is bounded", () => {
	sessionStorage.clear();
	for (let i = 0; i < 12; i++) {
		history.replaceState(null, "", `?form=${i}`);
		const one = start();
		one.type("title", `Title ${i}`);
		one.end.abort();
	}
	const kept = Object.keys(JSON.parse(sessionStorage.getItem("carillon-drafts") ?? "{}").forms);
	equal([kept.length, kept.at(-1)?.endsWith("form=11")], [8, true]);
});

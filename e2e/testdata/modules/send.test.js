// @ts-check
import { startPreview } from "../../../static/js/preview.js";
import { byId, equal, test } from "./check.js";
import { Time } from "./fakes.js";

/** @param {string} id @param {string} text */
const fault = (id, text) => `<p class="fault" id="${id}-fault" data-field="${id}">${text}</p>`;

/** @param {string} recipients @param {string[]} faults */
function answered(recipients, ...faults) {
	const html = `<div id="preview"><h2>Preview</h2></div><p id="to-count"><b data-testid="recipients">${recipients}</b></p>
		<p id="expires_in-hint">It disappears soon.</p>${faults.join("")}`;
	return new DOMParser().parseFromString(html, "text/html");
}

function start(title = "", wrong = "") {
	const main = document.querySelector("main");
	if (main) {
		main.innerHTML = `<form id="send">
			<div class="field"><input id="title" name="title" value="${title}"></div>
			<div class="field"><input id="link" name="link" aria-describedby="link-hint"><p id="link-hint">A path.</p>${wrong}</div>
			<div id="preview"></div><p id="to-count"></p><p id="expires_in-hint"></p><button>Send</button></form>`;
	}
	const form = /** @type {HTMLFormElement} */ (byId("send"));
	const [field, link] = [/** @type {HTMLInputElement} */ (byId("title")), /** @type {HTMLInputElement} */ (byId("link"))];
	const time = new Time();
	/** @type {{signal: AbortSignal, answer: (page: Document | null) => void}[]} */ const asked = [];
	/** @type {string[]} */ const said = [];
	startPreview(form, new AbortController().signal, (_, signal) => new Promise((resolve) => asked.push({ signal, answer: resolve })), time, (phrase) => said.push(phrase));
	/** @param {HTMLInputElement} into @param {string} text */
	const type = (into, text) => {
		into.focus();
		into.value = text;
		into.dispatchEvent(new InputEvent("input", { bubbles: true }));
	};
	/** @param {HTMLElement} from */
	const leave = (from) => {
		from.dispatchEvent(new Event("change", { bubbles: true }));
		from.blur();
		time.pass(1);
	};
	/** @param {number} i @param {Document | null} page */
	const answer = async (i, page) => {
		asked[i]?.answer(page);
		await Promise.resolve().then(() => {}).then(() => {});
	};
	const faults = () => [...form.querySelectorAll(".fault")].map((p) => p.textContent);
	return { form, field, link, time, asked, type, leave, answer, faults, said };
}

const count = () => document.querySelector("[data-testid=recipients]")?.textContent ?? "";

test("the preview follows once typing pauses, and only the last answer counts", async () => {
	const { field, time, asked, type, answer, said } = start();
	type(field, "H");
	time.pass(300);
	type(field, "He");
	time.pass(300);
	equal(asked.length, 0, "asked too early");
	time.pass(200);
	type(field, "Hel");
	equal(asked[0]?.signal.aborted, true);
	time.pass(500);
	await answer(1, answered("2 people"));
	await answer(0, answered("1 person"));
	equal([count(), byId("expires_in-hint").textContent], ["2 people", "It disappears soon."]);
	equal([field.value, document.activeElement?.id], ["Hel", "title"], "the text and the focus stay");
	type(field, "Hell");
	time.pass(500);
	await answer(2, null);
	equal(count(), "2 people", "no answer changes nothing");
	equal(said, ["2 people"], "the number is said once");
});

test("a form that is loaded with input has its preview at once, and announces nothing", async () => {
	const { asked, answer, said } = start("Hello");
	equal(asked.length, 1);
	await answer(0, answered("1 person"));
	equal([count(), said], ["1 person", []]);
	equal(start().asked.length, 0, "an empty one asks nothing");
});

test("a fault appears once its field was left, and disappears when it is corrected", async () => {
	const { field, link, time, type, leave, answer, faults, said } = start();
	type(field, "Hello");
	type(link, "x");
	time.pass(500);
	await answer(0, answered("", fault("link", "No link."), fault("title", "No title.")));
	equal(faults(), ["No title."], "only that of the field that was left");
	leave(link);
	equal(faults(), ["No title.", "No link."]);
	equal([link.getAttribute("aria-invalid"), link.getAttribute("aria-describedby")], ["true", "link-hint link-fault"]);
	type(link, "/x");
	time.pass(500);
	await answer(2, answered("", fault("title", "No title.")));
	equal(faults(), ["No title."]);
	equal([link.hasAttribute("aria-invalid"), link.getAttribute("aria-describedby")], [false, "link-hint"]);
	type(link, "y");
	time.pass(500);
	await answer(3, answered("", fault("link", "No link.")));
	equal(faults(), [], "nobody is told of what he is writing");
	leave(link);
	equal(faults(), ["No link."]);
	equal(said, ["No title.", "No link.", "No link."]);
});

test("a fault that came with the page disappears too, or is replaced by the current one", async () => {
	const { link, time, type, answer, faults } = start("", fault("link", "No link."));
	type(link, "//x");
	time.pass(500);
	await answer(0, answered("", fault("link", "Not there.")));
	equal(faults(), ["Not there."]);
	type(link, "/x");
	time.pass(500);
	await answer(1, answered(""));
	equal(faults(), []);
});

test("nothing moves between pressing and releasing the pointer", async () => {
	const { link, time, type, leave, answer, faults } = start();
	type(link, "x");
	document.dispatchEvent(new PointerEvent("pointerdown"));
	leave(link);
	await answer(0, answered("1 person", fault("link", "No link.")));
	equal([faults(), count()], [[], ""]);
	document.dispatchEvent(new PointerEvent("pointerup"));
	time.pass(1);
	equal([faults(), count()], [["No link."], "1 person"]);
});

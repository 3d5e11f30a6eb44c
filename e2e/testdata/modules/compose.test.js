// @ts-check
import { startMarkup } from "../../../static/js/compose.js";
import { byId, equal, test } from "./check.js";

/** @param {string} text @param {string} chosen what of it is chosen */
function written(text, chosen) {
	const main = document.querySelector("main");
	if (main) {
		main.innerHTML = `<form id="send"><textarea id="body" name="body"></textarea>
			${["bold", "link", "list", "picture"].map((kind) => `<button type="button" data-markup="${kind}">${kind}</button>`).join("")}</form>`;
	}
	const [form, body] = [/** @type {HTMLFormElement} */ (byId("send")), /** @type {HTMLTextAreaElement} */ (byId("body"))];
	body.value = text;
	body.setSelectionRange(text.indexOf(chosen), text.indexOf(chosen) + chosen.length);
	startMarkup(form);
	/** @param {string} kind */
	const press = (kind) => {
		const button = form.querySelector(`[data-markup="${kind}"]`);
		if (button instanceof HTMLElement) button.click();
		return { text: body.value, chosen: body.value.slice(body.selectionStart, body.selectionEnd), caret: body.selectionStart };
	};
	return press;
}

test("a picture of the chosen words has its address chosen, to be typed over", () => {
	const now = written("See the plan.", "the plan")("picture");
	equal(now.text, "See ![the plan](https://).", "the text");
	equal(now.chosen, "https://", "what is chosen");
});

test("a picture of nothing has the caret at its description", () => {
	const now = written("See ", "")("picture");
	equal(now.text, "![](https://)See ", "the text");
	equal(now.caret, 2, "the caret");
	equal(now.chosen, "", "what is chosen");
});

test("a link has its address chosen, and bold words the caret after them", () => {
	equal(written("the plan", "plan")("link").chosen, "/", "of a link");
	const bold = written("the plan", "plan")("bold");
	equal(bold.text, "the **plan**", "bold");
	equal(bold.caret, 12, "the caret");
});

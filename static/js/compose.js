// @ts-check
// What helps to write the text of a notice: how much room the title has left, the markup of an
// announcement, and where the link leads.

const near = 50; // characters before the end of the title at which the count appears

/** Counts the characters of the title when it gets long. @param {HTMLFormElement} form */
export function startTitle(form) {
	const [title, count] = [form.elements.namedItem("title"), document.getElementById("title-count")];
	if (!(title instanceof HTMLInputElement && count)) return;
	const most = Number(count.dataset.most);
	const show = () => {
		const length = [...title.value].length;
		count.hidden = length < most - near;
		count.textContent = `${length} / ${most}`;
		count.classList.toggle("text-bad", length > most);
	};
	form.addEventListener("input", show);
	show();
}

/** @type {Record<string, (chosen: string) => [string, string, string]>} what stands before, between and after the markup */
const markups = {
	bold: (chosen) => ["**", chosen, "**"],
	italic: (chosen) => ["*", chosen, "*"],
	link: (chosen) => ["[", chosen, "](/)"],
	picture: (chosen) => ["![", chosen, "](https://)"],
	list: (chosen) => ["", chosen.split("\n").map((line) => `- ${line}`).join("\n"), ""],
};

/** Puts the chosen text of an announcement into markup. @param {HTMLFormElement} form */
export function startMarkup(form) {
	form.addEventListener("click", ({ target }) => {
		const [button, body] = [target instanceof Element ? target.closest("[data-markup]") : null, form.elements.namedItem("body")];
		const markup = button instanceof HTMLElement ? markups[button.dataset.markup ?? ""] : undefined;
		if (!markup || !(body instanceof HTMLTextAreaElement)) return;
		const [begin, end] = [body.selectionStart, body.selectionEnd];
		const [before, between, after] = markup(body.value.slice(begin, end));
		body.focus();
		body.setRangeText(before + between + after, begin, end, "end");
		const caret = begin + before.length;
		const address = caret + between.length + "](".length;
		// The caret goes where the words are missing, or onto the address of a link or a picture.
		if (between === "") body.setSelectionRange(caret, caret);
		else if (after.startsWith("](")) body.setSelectionRange(address, caret + between.length + after.length - 1);
		body.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
	});
}

/** Shows the address before a path, and a link to where it leads. @param {HTMLFormElement} form */
export function startLink(form) {
	const [link, base, test] = [form.elements.namedItem("link"), document.getElementById("link-base"), document.getElementById("link-test")];
	if (!(link instanceof HTMLInputElement && test instanceof HTMLAnchorElement)) return;
	const show = () => {
		const to = link.value.trim();
		const path = to.startsWith("/") && !to.startsWith("//");
		if (base) base.hidden = to !== "" && !path;
		test.hidden = !path && !to.startsWith("https://");
		if (!test.hidden) test.href = path ? (base?.textContent ?? "") + to : to;
	};
	form.addEventListener("input", show);
	show();
}

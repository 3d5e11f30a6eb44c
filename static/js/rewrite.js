// @ts-check
// The text of rows, and how it is replaced after an edit.

const title = ":is(h2, h3) > [dir]";
const body = "article > .body";
const fold = "article > .fold";
const question = "article > :is(.question, .became)";

/**
 * Returns the text of a row without its state. It differs only after an edit.
 * @param {HTMLElement} row
 */
export function contentOf(row) {
	return [...row.querySelectorAll(`${title}, .body, ${question}`)].map((e) => `${e.getAttribute("href") ?? ""} ${e.textContent}`).join("\n");
}

/**
 * Updates the text of a row. Its position and state stay, and so does the focus.
 * @param {HTMLElement} row
 * @param {HTMLElement} now the same row, as the server renders it
 */
export function rewrite(row, now) {
	if (contentOf(now) === contentOf(row)) return;
	const focused = row.contains(document.activeElement);
	const [text, fresh] = [row.querySelector(body), now.querySelector(body)];
	if (fresh && !text) row.querySelector(".meta")?.after(document.importNode(fresh, true));
	else renew(text, fresh);
	renew(row.querySelector(title), now.querySelector(title));
	const [asks, became] = [row.querySelector(question), now.querySelector(question)];
	if (asks?.textContent !== became?.textContent) renew(asks, became);
	const [folds, unfolds] = [row.querySelector(fold), now.querySelector(fold)];
	if (unfolds && !folds) row.querySelector("article > .exact")?.before(document.importNode(unfolds, true), " ");
	else renew(folds, unfolds);
	for (const form of now.querySelectorAll(".actions form")) {
		const button = row.querySelector(`.actions form[action="${form.getAttribute("action")}"] button`);
		button?.setAttribute("aria-label", form.querySelector("button")?.getAttribute("aria-label") ?? "");
	}
	if (focused && !row.contains(document.activeElement)) row.focus({ preventScroll: true });
	document.dispatchEvent(new Event("carillon:rewritten"));
}

/**
 * @param {Element | null} part of a row
 * @param {Element | null} now its current version; null: removed
 */
function renew(part, now) {
	if (!part || !now) return part?.remove();
	if (part.tagName === now.tagName && !part.firstElementChild && !now.firstElementChild) {
		part.textContent = now.textContent;
		if (now.hasAttribute("href")) part.setAttribute("href", now.getAttribute("href") ?? "");
		return;
	}
	const fresh = document.importNode(now, true);
	if (part instanceof HTMLDetailsElement && fresh instanceof HTMLDetailsElement) fresh.open = part.open;
	part.replaceWith(fresh);
}

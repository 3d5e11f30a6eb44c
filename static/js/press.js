// @ts-check
// The whole row leads where its title leads, and its text can be selected. Without this module the
// link of the title lies over the row; with it the link lies under the text (row.css), and a click on
// the text follows the link, unless it ends a selection.

const still = 4; // px: a press that moves less is a click, even where text was selected before

export function startPress() {
	let from = { x: 0, y: 0 };
	addEventListener("pointerdown", (e) => {
		from = { x: e.clientX, y: e.clientY };
		const found = e.button === 0 && e.pointerType === "mouse" ? pressed(e) : null;
		if (found?.own) asText(found.link);
	}, true);
	// In the capture phase, before anything that acts on a click on a link.
	addEventListener("click", (e) => {
		const found = pressed(e);
		if (!found) return;
		if (e.detail > 0 && Math.hypot(e.clientX - from.x, e.clientY - from.y) > still && selects(found.row)) {
			if (!found.own) return;
			e.preventDefault();
			e.stopPropagation();
		} else if (!found.own) {
			const { ctrlKey, metaKey, shiftKey, clientX, clientY } = e;
			found.link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window, ctrlKey, metaKey, shiftKey, clientX, clientY }));
		}
	}, true);
	// The middle button opens a tab, and does not scroll.
	addEventListener("mousedown", (e) => {
		const found = e.button === 1 ? pressed(e) : null;
		if (found && !found.own) e.preventDefault();
	});
	addEventListener("auxclick", (e) => {
		const found = e.button === 1 ? pressed(e) : null;
		if (found && !found.own) open(found.link.href, "_blank", "noopener");
	});
	document.documentElement.classList.add("selectable");
}

/**
 * Makes a link a text while the button is down: browsers let no selection begin in a link.
 * @param {HTMLAnchorElement} link
 */
function asText(link) {
	const href = link.getAttribute("href");
	if (href === null) return;
	link.removeAttribute("href");
	const end = new AbortController();
	const again = () => {
		end.abort();
		link.setAttribute("href", href);
	};
	for (const over of ["pointerup", "pointercancel", "blur"]) addEventListener(over, again, { capture: true, signal: end.signal });
}

/**
 * Returns the row and its link if the row was pressed, and not one of its buttons. own: it was
 * pressed on the link itself.
 * @param {Event} e
 * @returns {{row: Element, link: HTMLAnchorElement, own: boolean} | null}
 */
function pressed({ target }) {
	const row = target instanceof Element ? target.closest(".row") : null;
	const link = row?.querySelector(":is(h2, h3) a");
	if (!(target instanceof Element && row && link instanceof HTMLAnchorElement)) return null;
	if (link.contains(target)) return { row, link, own: true };
	if (target.closest("a, button, input, label, summary, .actions")) return null;
	if (target.closest(".body") && row.querySelector(".fold[open]")) return null; // it is being read
	return { row, link, own: false };
}

/** Reports whether text of the row is selected. @param {Element} row */
function selects(row) {
	const selection = getSelection();
	return selection?.type === "Range" && selection.toString() !== "" && selection.containsNode(row, true);
}

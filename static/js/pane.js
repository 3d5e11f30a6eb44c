// @ts-check
// The reading pane beside the list, on wide screens. It shows the opened row as a whole, and from then on each row that
// gets the focus.

const above = "dialog[open], details.menu[open], #panel:not([hidden]), #later:popover-open, [type=search]:focus";

/** The pane, while it is shown. @type {HTMLElement | null} */
let pane = null;
/** The id of the row in it. */
let id = "";
/** Is called when the list has become narrower or wider. */
let resized = () => {};
let closing = ""; // the text of the button that hides the pane

/**
 * Shows a row in the pane, or hides the pane if it shows this row.
 * @param {HTMLElement} row
 * @param {() => void} measure is called when the list has become narrower or wider
 * @param {string} close the text of the button that hides the pane
 */
export function toggle(row, measure, close) {
	[resized, closing] = [measure, close];
	if (pane?.isConnected && id === row.id) {
		hide();
		return;
	}
	if (!pane?.isConnected) begin();
	show(row);
}

function begin() {
	const inbox = document.getElementById("inbox");
	if (!inbox) return;
	const aside = document.createElement("aside");
	[aside.id, aside.className] = ["pane", "card"];
	inbox.append(aside);
	inbox.toggleAttribute("data-pane", true);
	pane = aside;
	resized();
	const end = new AbortController();
	/** Listens until the pane is gone. @param {string} event @param {(e: Event) => void} act */
	const until = (event, act) =>
		document.addEventListener(event, (e) => {
			if (aside.isConnected) act(e);
			if (!aside.isConnected) end.abort();
		}, { signal: end.signal });
	until("focusin", ({ target }) => {
		const row = target instanceof Element ? target.closest("#list .row") : null;
		if (row instanceof HTMLElement && row.id !== id) show(row);
	});
	until("keydown", (e) => {
		if (/** @type {KeyboardEvent} */ (e).key === "Escape" && !document.querySelector(above)) hide();
	});
	// The row has been replaced, changed or taken away.
	for (const event of ["htmx:afterSettle", "carillon:rewritten"]) {
		until(event, () => {
			const row = document.getElementById(id);
			if (row && !row.hidden) show(row);
			else if (!document.querySelector("#list .row:not([hidden])")) hide();
		});
	}
}

function hide() {
	const row = document.getElementById(id);
	if (pane?.contains(document.activeElement)) row?.focus({ preventScroll: true });
	row?.removeAttribute("aria-current");
	pane?.closest("#inbox")?.removeAttribute("data-pane");
	pane?.remove();
	[pane, id] = [null, ""];
	resized();
}

/** @param {HTMLElement} row */
function show(row) {
	if (!pane) return;
	document.getElementById(id)?.removeAttribute("aria-current");
	row.setAttribute("aria-current", "true");
	id = row.id;
	const shown = /** @type {HTMLElement} */ (row.querySelector("article")?.cloneNode(true));
	for (const part of shown.querySelectorAll("form, .fold, .dot, .mark")) part.remove();
	for (const part of shown.querySelectorAll("[id]")) part.removeAttribute("id");
	const title = shown.querySelector("h2, h3");
	pane.setAttribute("aria-label", title?.textContent?.trim() ?? "");
	const deeds = document.createElement("p");
	deeds.className = "buttons";
	const other = row.dataset.state === "read" ? "/read" : "/unread";
	for (const own of row.querySelectorAll(".actions button")) {
		if (!(own instanceof HTMLButtonElement) || own.form?.action.endsWith(other)) continue;
		deeds.append(button(own.title, () => {
			row.focus({ preventScroll: true }); // the menu of times opens beside it, and the focus goes on from it
			own.click();
		}), " ");
	}
	deeds.append(button(closing, () => hide()));
	pane.replaceChildren(deeds, shown);
}

/** @param {string} label @param {() => void} act */
function button(label, act) {
	const b = document.createElement("button");
	[b.type, b.className, b.textContent] = ["button", "button small", label];
	b.addEventListener("click", act);
	return b;
}

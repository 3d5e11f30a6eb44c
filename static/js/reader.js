// @ts-check
import { goTo } from "./seek.js";

/** @typedef {import("./cards.js").Cards} Cards */

/** Elements that Escape closes first, and fields that handle Escape themselves. */
const above = "dialog[open], details.menu[open], #panel:not([hidden]), .done.floating, [aria-expanded=true]:focus, [type=search]:focus";

/**
 * Handles the reader's interaction with toasts. All of them stay while the pointer or
 * the focus is on one, or while the page is hidden. Their buttons and Escape close
 * them, and the focus returns to where it was before.
 * @param {HTMLElement} region
 * @param {Cards} cards
 */
export function startReader(region, cards) {
	/** @type {Element | null} */ let from = null;

	const look = () => cards.stand("hidden", document.visibilityState === "hidden");
	document.addEventListener("visibilitychange", look);
	look();
	resume();
	for (const [name, inside] of /** @type {const} */ ([["pointerenter", true], ["pointerleave", false]])) {
		region.addEventListener(name, (e) => {
			// After a touch there is no pointer left that could move away.
			if (e.pointerType !== "touch") cards.stand("pointer", inside);
		});
	}
	region.addEventListener("focusin", ({ relatedTarget: before }) => {
		if (before instanceof Element && !region.contains(before)) from = before;
		cards.stand("focus", true);
	});
	region.addEventListener("focusout", () => {
		// While another window has the focus, activeElement is still inside.
		queueMicrotask(() => cards.stand("focus", region.contains(document.activeElement)));
	});
	region.addEventListener("click", (e) => {
		const pressed = e.target instanceof Element ? e.target : null;
		const box = pressed?.closest("li");
		if (box instanceof HTMLElement && pressed?.closest("button")) close(box);
		const link = pressed?.closest("a");
		if (box instanceof HTMLElement && link) follow(e, link, box);
	});
	// In the capture phase: before other handlers of Escape close their own elements.
	document.addEventListener("keydown", (e) => {
		const box = cards.boxes.find((one) => one.contains(document.activeElement)) ?? cards.boxes[0];
		if (e.key !== "Escape" || e.isComposing || !box?.isConnected) return;
		if (!region.contains(document.activeElement) && document.querySelector(above)) return;
		e.stopImmediatePropagation();
		close(box);
	}, true);

	/** @param {HTMLElement} box */
	function close(box) {
		const focused = box.contains(document.activeElement);
		const next = box.nextElementSibling ?? box.previousElementSibling;
		cards.remove(box);
		if (region.hidden) cards.stand("pointer", false); // the box is gone without a pointer event
		if (!focused) return;
		const target = next?.querySelector("button") ?? (from?.isConnected ? from : document.querySelector("main"));
		if (target instanceof HTMLElement) target.focus({ preventScroll: true });
		if (region.hidden) cards.stand("focus", false);
	}

	/** @param {MouseEvent} e @param {HTMLAnchorElement} link @param {HTMLElement} box */
	function follow(e, link, box) {
		const here = link.pathname === location.pathname && link.search === location.search;
		close(box);
		if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || !here) return;
		e.preventDefault();
		const id = link.hash.slice(1);
		if (goTo(id)) return;
		// This is the right page, but it was rendered before the row arrived.
		history.replaceState({ ...history.state, row: id }, "", link.href);
		history.scrollRestoration = "manual"; // the page begins at the row, not where it was left
		location.reload();
	}
}

/** Goes to the row that the page was reloaded for. */
function resume() {
	const { row, ...state } = history.state ?? {};
	if (!row) return;
	history.replaceState(state, "");
	goTo(row);
}

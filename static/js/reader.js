// @ts-check
import { goTo } from "./seek.js";

/** @typedef {import("./cards.js").Cards} Cards */

/** What Escape closes first, and fields that take it for themselves. */
const above = "dialog[open], details.menu[open], #panel:not([hidden]), .done.floating, [aria-expanded=true]:focus, [type=search]:focus";

/**
 * What a reader does to toasts: as long as he is at one of them, or does not see
 * the page, all stay; he closes them by their buttons or by Escape; and where the
 * focus was before it came here is where it goes back to.
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
			// A finger leaves nothing behind that could go away.
			if (e.pointerType !== "touch") cards.stand("pointer", inside);
		});
	}
	region.addEventListener("focusin", ({ relatedTarget: before }) => {
		if (before instanceof Element && !region.contains(before)) from = before;
		cards.stand("focus", true);
	});
	region.addEventListener("focusout", () => {
		// When another window has it, it is here still.
		queueMicrotask(() => cards.stand("focus", region.contains(document.activeElement)));
	});
	region.addEventListener("click", (e) => {
		const pressed = e.target instanceof Element ? e.target : null;
		const box = pressed?.closest("li");
		if (box instanceof HTMLElement && pressed?.closest("button")) close(box);
		const link = pressed?.closest("a");
		if (box instanceof HTMLElement && link) follow(e, link, box);
	});
	// Before those who take it too have closed what they close.
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
		if (region.hidden) cards.stand("pointer", false); // it has left without a move
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
		// The page is the right one, and was made before the row was there.
		history.replaceState({ ...history.state, row: id }, "", link.href);
		location.reload();
	}
}

/** A page that was loaded anew for a row begins there. */
function resume() {
	const { row, ...state } = history.state ?? {};
	if (!row) return;
	history.replaceState(state, "");
	goTo(row);
}

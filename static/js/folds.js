// @ts-check
import { text } from "./texts.js";

/**
 * Hides the unfold button of rows whose text is fully visible. On a wide screen, rows of the inbox unfold into a pane beside
 * the list.
 */
export function startFolds() {
	const look = () => {
		for (const fold of document.querySelectorAll("details.fold:not([open])")) {
			const cut = [...(fold.closest(".row")?.querySelectorAll("h3, .body") ?? [])].some((e) => e.scrollHeight > e.clientHeight + 1);
			fold.toggleAttribute("data-fits", !cut);
		}
	};
	document.addEventListener("click", (e) => {
		const row = e.target instanceof Element && e.target.closest("#list .fold > summary") && matchMedia("(min-width: 1100px)").matches && e.target.closest(".row");
		if (!(row instanceof HTMLElement)) return;
		e.preventDefault();
		import("./pane.js").then(({ toggle }) => toggle(row, look, text("close")));
	});
	look();
	addEventListener("resize", look);
	document.addEventListener("htmx:load", look);
	document.addEventListener("carillon:rewritten", look);
}

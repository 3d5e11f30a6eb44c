// @ts-check

/** Hides the unfold button of rows whose text is fully visible. */
export function startFolds() {
	const look = () => {
		for (const fold of document.querySelectorAll("details.fold:not([open])")) {
			const cut = [...(fold.closest(".row")?.querySelectorAll("h3, .body") ?? [])].some((e) => e.scrollHeight > e.clientHeight + 1);
			fold.toggleAttribute("data-fits", !cut);
		}
	};
	look();
	addEventListener("resize", look);
	document.addEventListener("htmx:load", look);
	document.addEventListener("carillon:rewritten", look);
}

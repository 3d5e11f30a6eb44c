// @ts-check

/** A body that fits into its row needs no button to unfold it. */
export function startFolds() {
	const look = () => {
		for (const fold of document.querySelectorAll("details.fold:not([open])")) {
			const body = fold.querySelector(".body");
			const fits = body !== null && body.scrollHeight <= body.clientHeight + 1;
			fold.toggleAttribute("data-fits", fits);
			const summary = fold.querySelector("summary");
			if (fits) summary?.setAttribute("tabindex", "-1");
			else summary?.removeAttribute("tabindex");
		}
	};
	look();
	addEventListener("resize", look);
	document.addEventListener("htmx:load", look);
	document.addEventListener("carillon:rewritten", look);
}

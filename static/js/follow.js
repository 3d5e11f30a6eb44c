// @ts-check

/**
 * Lets what looks again and again rest while nobody sees the page. Loading the
 * page anew is not asked for: the next look comes when it is seen again. And
 * keeps the focus where it was when what has it is swapped.
 */
export function startFollow() {
	document.addEventListener("htmx:beforeRequest", (e) => {
		const { elt } = /** @type {CustomEvent} */ (e).detail;
		if (elt.matches("[data-while-visible]") && document.visibilityState !== "visible") e.preventDefault();
	});

	// What can be done about an announcement comes anew when it opens or is over.
	let within = false;
	const deeds = () => document.getElementById("deeds");
	document.addEventListener("htmx:oobBeforeSwap", ({ target }) => {
		if (target === deeds()) within = deeds()?.contains(document.activeElement) ?? false;
	});
	document.addEventListener("htmx:oobAfterSwap", () => {
		if (within) deeds()?.focus({ preventScroll: true });
		within = false;
	});
}

// @ts-check

/**
 * Pauses the parts that refresh themselves while the page is hidden. No reload is
 * needed: they refresh again once the page is visible. It also keeps the focus when
 * the focused element is swapped.
 */
export function startFollow() {
	document.addEventListener("htmx:beforeRequest", (e) => {
		const { elt } = /** @type {CustomEvent} */ (e).detail;
		if (elt.matches("[data-while-visible]") && document.visibilityState !== "visible") e.preventDefault();
	});

	// The actions for an announcement are replaced when it opens or ends.
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

// @ts-check

/**
 * Lets what looks again and again rest while nobody sees the page. Loading the
 * page anew is not asked for: the next look comes when it is seen again.
 */
export function startFollow() {
	document.addEventListener("htmx:beforeRequest", (e) => {
		const { elt } = /** @type {CustomEvent} */ (e).detail;
		if (elt.matches("[data-while-visible]") && document.visibilityState !== "visible") e.preventDefault();
	});
}

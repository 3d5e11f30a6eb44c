// @ts-check

/** Older rows of a day that the list has already go on under its heading. */
export function joinDays() {
	/** @type {Element | null} */ let before = null;
	for (const day of document.querySelectorAll("#list > section")) {
		if (before?.querySelector("h2")?.textContent !== day.querySelector("h2")?.textContent) {
			before = day;
			continue;
		}
		before?.querySelector("ul")?.append(...(day.querySelector("ul")?.children ?? []));
		day.remove();
	}
	// The newest rows are above, so nothing leads to them; a page that began with older ones has its own way.
	if (!new URLSearchParams(location.search).has("before")) document.querySelector("#pager a:not([rel])")?.remove();
}

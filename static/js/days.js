// @ts-check

/**
 * Removes loaded rows that the list already has, such as a question that was answered meanwhile, and moves the others under the
 * heading of their day when the list already has one.
 */
export function joinDays() {
	/** @type {Set<string>} */ const ids = new Set();
	for (const row of document.querySelectorAll("#list .row")) {
		if (ids.has(row.id)) row.remove();
		ids.add(row.id);
	}
	/** @type {Element | undefined} */ let before;
	for (const day of document.querySelectorAll("#list > section")) {
		if (!before || nameOf(before) !== nameOf(day)) {
			before = day;
			continue;
		}
		before.querySelector("ul")?.append(...(day.querySelector("ul")?.children ?? []));
		// The number in the heading has counted them already.
		if (before.matches(fresh)) before.setAttribute("data-fresh", String(before.querySelectorAll(".row:not([hidden])").length));
		day.remove();
	}
	// The newest rows are above, so the link to them is removed; a page that began with older ones keeps it.
	if (!new URLSearchParams(location.search).has("before")) document.querySelector("#pager a:not([rel])")?.remove();
}

const fresh = "[data-fresh]";

/** @param {Element} day */
function nameOf(day) {
	return day.matches(fresh) || day.querySelector("h2")?.textContent;
}

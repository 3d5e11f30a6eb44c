// @ts-check

const minute = 60_000;
const day = 24 * 60 * minute;
const longest = 7 * day; // older rows keep the time of day, under the heading of their day

/**
 * Formats how long ago something was, in few letters; null when it is so long ago
 * that only the date is useful.
 * @param {number} ms its age
 * @param {string} lang
 * @returns {string | null}
 */
export function ago(ms, lang) {
	const format = new Intl.RelativeTimeFormat(lang, { numeric: "auto", style: "narrow" });
	if (ms >= longest) return null;
	if (ms < minute) return format.format(0, "second");
	if (ms < 60 * minute) return format.format(-Math.floor(ms / minute), "minute");
	if (ms < day) return format.format(-Math.floor(ms / (60 * minute)), "hour");
	return new Intl.RelativeTimeFormat(lang, { style: "narrow" }).format(-Math.floor(ms / day), "day");
}

/** Shows how long ago each row arrived. Without scripts rows show the time of day. */
export function startTimes() {
	showTimes();
	setInterval(showTimes, minute);
	document.addEventListener("visibilitychange", showTimes);
	document.addEventListener("htmx:load", showTimes);
}

/** Updates the times of all rows, including those added without htmx. */
export function showTimes() {
	if (document.visibilityState === "hidden") return;
	const lang = document.documentElement.lang || "en";
	for (const time of document.querySelectorAll(":is(.row, .meta) > time")) {
		if (!(time instanceof HTMLTimeElement)) continue;
		time.dataset.clock ??= time.textContent ?? "";
		time.textContent = ago(Date.now() - Date.parse(time.dateTime), lang) ?? time.dataset.clock;
	}
}

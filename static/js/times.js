// @ts-check

const minute = 60_000;
const day = 24 * 60 * minute;
const longest = 7 * day; // older ones keep their clock, under the heading of their day

/**
 * How long ago something was, in few letters; null when it is so long ago that
 * only the date tells.
 * @param {number} ms since then
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

/** Tells of each row how long ago it came. Without script it says the time of day. */
export function startTimes() {
	showTimes();
	setInterval(showTimes, minute);
	document.addEventListener("visibilitychange", showTimes);
	document.addEventListener("htmx:load", showTimes);
}

/** For rows that came by a way of their own. */
export function showTimes() {
	if (document.visibilityState === "hidden") return;
	const lang = document.documentElement.lang || "en";
	for (const time of document.querySelectorAll(".row > time")) {
		if (!(time instanceof HTMLTimeElement)) continue;
		time.dataset.clock ??= time.textContent ?? "";
		time.textContent = ago(Date.now() - Date.parse(time.dateTime), lang) ?? time.dataset.clock;
	}
}

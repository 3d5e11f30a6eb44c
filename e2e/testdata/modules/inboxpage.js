// @ts-check
import { entryOf, rows } from "../../../static/js/rows.js";

/**
 * Fills the page with rows `key@at state [mark]`; its version is 10.
 * @param {...string} lines
 */
export function inbox(...lines) {
	const main = document.querySelector("main");
	if (main) main.innerHTML = `<a id="arrivals" href="/inbox" hidden></a><ul>${lines.map(row).join("")}</ul>`;
}

/** @param {string} line */
export function row(line) {
	const [, key, at, state, mark] = line.match(/^(\S+)@(\d+) (\w+) ?(\w*)$/) ?? [];
	const kind = mark === "New" ? "mark" : "dot";
	return `<li class="row" tabindex="-1" data-testid="entry" data-key="${key}" data-at="${at}" data-state="${state}" data-read="0">
		<h3>${mark ? `<span class="${kind}">${mark}</span> ` : ""}Title</h3><form></form></li>`;
}

export const shown = () =>
	rows().map((row) => {
		const { key, at, state } = entryOf(row);
		return `${key}@${at} ${state} ${row.querySelector(".mark, .dot")?.textContent ?? ""}`.trim();
	});

/** @param {number} ver @param {string[]} lines @param {number} [before] @param {number} [from] */
export function part(ver, lines, before = Infinity, from = 0) {
	const entries = lines.map((line) => {
		const [, key = "", at, state = ""] = line.match(/^(\S+)@(\d+) (\w+)$/) ?? [];
		return { key, at: Number(at), state };
	});
	return { ver, entries, before, from };
}

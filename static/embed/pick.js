// @ts-check
import { make } from "./dom.js";
import { sheet } from "./menu.js";

const most = 90; // days for which a notice can be put away

/**
 * Lets the user choose a time to come, at a button of a row.
 * @param {import("./feed.js").Feed} feed @param {HTMLElement} clicked @param {Date} first the time at first @param {(at: Date) => unknown} chosen
 */
export function pick(feed, clicked, first, chosen) {
	const { el } = feed;
	sheet(feed, clicked, "dialog", (close) => {
		const bounds = { min: local(new Date()), max: local(new Date(Date.now() + most * 86_400_000)) };
		const field = /** @type {HTMLInputElement} */ (make("input", { type: "datetime-local", part: "time", required: true, "aria-label": el.text("own_time"), ...bounds }));
		field.value = local(first);
		const form = make("form", { class: "pick", submit: (e) => {
			e.preventDefault();
			const at = new Date(field.value);
			close();
			chosen(at);
		} }, field, make("button", { class: "button primary", part: "button" }, el.text("put_away_then")));
		queueMicrotask(() => field.focus());
		return [form];
	});
}

/** Writes a time of this zone as the field takes it. @param {Date} at */
const local = (at) => new Date(+at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

// @ts-check
import { clock } from "./clock.js";
import { startCompletion } from "./complete.js";
import { askServer } from "./offered.js";

/**
 * Offers all categories when the field is clicked, and at the end a new one.
 * @param {HTMLInputElement} type
 * @param {HTMLElement} list
 */
export function startCategory(type, list) {
	startCompletion(type, list, () => "type", async (part, kind, signal) => {
		const found = await askServer(part, kind, signal);
		if (found.some(({ name }) => name === part)) return found;
		return [...found, { name: part, note: part, label: type.dataset.new, fresh: true }];
	}, clock, ({ name }) => {
		if (name === "") type.placeholder = type.dataset.example ?? "";
	});
}

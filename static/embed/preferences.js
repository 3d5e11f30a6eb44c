// @ts-check
import { make } from "./dom.js";

/**
 * Builds the part in which the user chooses the types of notices that they get. It is loaded
 * when it is opened.
 * @param {import("./element.js").CarillonElement} el
 * @param {import("./core.js").Client} client
 */
export function preferences(el, client) {
	const list = make("div", { class: "types" });
	const fault = () => list.replaceChildren(el.text("failed"));
	/** @param {{type: string, name: string, mutable: boolean, muted: boolean}} t */
	const choice = (t) => {
		const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", disabled: !t.mutable, change: () => client.mute(t.type, !box.checked).catch(fault) }));
		box.checked = !t.muted;
		return make("label", { part: "row" }, box, make("span", { dir: "auto" }, t.name));
	};
	const open = async (/** @type {Event} */ e) => {
		if (!(e.currentTarget instanceof HTMLDetailsElement) || !e.currentTarget.open) return;
		await client.me().then((me) => list.replaceChildren(...me.types.map(choice)), fault);
	};
	return make("details", { class: "prefs", part: "footer", toggle: open }, make("summary", { class: "action", part: "action" }, el.text("preferences")), list);
}

// @ts-check
import { make } from "./dom.js";
import { speak } from "./voice.js";

const life = 10_000; // ms; longer while the pointer or the focus is on it

/**
 * Shows what has happened, and a button that undoes it.
 * @param {import("./feed.js").Feed} feed @param {string} text @param {() => Promise<unknown>} [undo]
 */
export function say(feed, text, undo) {
	const { el, said } = feed;
	const again = () => feed.try(undo?.()).then(() => box.remove());
	const box = make("div", {}, text, undo ? el.button("undo", again) : "");
	const end = () => (box.matches(":hover, :focus-within") ? setTimeout(end, 1_000) : box.remove());
	said.replaceChildren(box);
	setTimeout(end, life);
	speak(el, text);
}

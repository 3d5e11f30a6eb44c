// @ts-check
import { write } from "./time.js";
import { voice } from "./voice.js";

/** The lists on display, with their languages. @type {Map<HTMLElement, string>} */ const lists = new Map();
/** @type {ReturnType<typeof setInterval> | undefined} */ let timer;

/** Lets an element speak, and updates the times of its rows each minute, with one timer for all elements. @param {import("./feed.js").Feed} feed */
export function begin({ el, list }) {
	if (!list.isConnected) return;
	voice(el);
	timer ??= setInterval(() => {
		for (const [list, lang] of lists) for (const time of list.querySelectorAll("time")) write(time, lang);
	}, 60_000);
	if (!lists.has(list)) el.atEnd(() => void lists.delete(list));
	lists.set(list, el.language);
}

// @ts-check
import { startToasts } from "../../../static/js/toasts.js";
import { byId, tell } from "./check.js";
import { look, Time } from "./fakes.js";

/** Starts the toasts of a page. By default it is the page's turn to show them. */
export function start({ here = true, at = 0 } = {}) {
	look("visible");
	document.body.insertAdjacentHTML("beforeend", `<section id="popups" data-icons="/icons.svg" hidden><ol></ol></section><div id="popups-voice" role="status"></div>`);
	const [stream, time] = [new EventTarget(), Object.assign(new Time(), { at })];
	/** @type {string[]} */ const shared = [];
	const showing = Object.assign(new EventTarget(), { here, waits: !here, share: (/** @type {string[]} */ ids) => shared.push(...ids) });
	/** @type {string[]} */ const acks = [];
	startToasts(stream, /** @type {any} */ (showing), (ids) => acks.push(ids.join()), time);
	const say = (/** @type {string} */ name, /** @type {any} */ detail) => tell(stream, name, detail);
	return { stream, time, showing, shared, acks, say };
}

/** @param {number} n @param {object} [rest] */
export const toast = (n, rest) => ({ id: `${n}-0`, title: `Title ${n}`, body: `Body ${n}`, link: `/l/${n}`, ...rest });
/** @param {string} id @param {number} more */
export const several = (id, more) => ({ id, title: "", body: "", link: "/inbox", more });
export const titles = () => [...byId("popups").querySelectorAll(".toast-title")].map((e) => e.textContent);
export const said = () => [...byId("popups-voice").children].map((e) => e.textContent);
export const press = (/** @type {string} */ key) => document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));

// @ts-check
import { card, reword, spoken } from "./card.js";
import { clock } from "./clock.js";
import { Countdown } from "./countdown.js";

/** @typedef {import("./card.js").Toast} Toast */

const stays = 8000; // ms for which a toast is shown
const most = 3; // toasts shown at once; further ones are only counted
const moment = 100; // ms: toasts that arrive together are announced together

/**
 * The toasts on the screen, the newest on top. Each is announced in full and disappears
 * after a while. A new toast never displaces one on display: from the fourth on they
 * are counted in a line above the three.
 */
export class Cards {
	/** @type {Map<HTMLElement, Toast>} */ #shown = new Map(); // oldest first
	/** @type {HTMLElement | undefined} */ #rest; // the line that counts further toasts
	/** @type {string[]} */ #phrases = []; // about to be announced
	#countdown;
	#region;
	#list;
	#voice;
	#time;

	/**
	 * @param {HTMLElement} region hidden when there are no toasts
	 * @param {HTMLElement} list inside the region
	 * @param {HTMLElement} voice live region: screen readers read its content aloud
	 * @param {import("./clock.js").Clock} [time]
	 */
	constructor(region, list, voice, time = clock) {
		this.#region = region;
		this.#list = list;
		this.#voice = voice;
		this.#time = time;
		this.#countdown = new Countdown((/** @type {HTMLElement} */ box) => this.remove(box), time);
	}

	/** The boxes, newest first. */
	get boxes() {
		return [...this.#list.children].filter((box) => box instanceof HTMLElement);
	}

	/** The toasts on display, oldest first, with the ms that each has left. */
	get left() {
		return [...this.#shown].map(([box, toast]) => ({ toast, left: this.#countdown.left(box) }));
	}

	/** Shows a toast that another page has shown and announced, for the rest of its time. @param {import("./handover.js").Left} shown */
	resume({ toast, left }) {
		const box = this.#put(toast);
		if (toast.more) this.#rest = box;
		this.#countdown.set(box, left);
	}

	/** @param {Toast} toast */
	show(toast) {
		if (toast.more) return this.#count(toast.more);
		if (this.#shown.size - (this.#rest ? 1 : 0) >= most) return this.#count(1);
		this.#add(toast);
	}

	/** Removes toasts that no longer apply. @param {(toast: Toast) => boolean} is */
	forget(is) {
		for (const [box, toast] of this.#shown) if (is(toast)) this.remove(box);
	}

	/** Gives edited toasts their new text. @param {(toast: Toast) => boolean} is @param {Partial<Toast>} words */
	amend(is, words) {
		for (const [box, toast] of this.#shown) {
			if (!is(toast)) continue;
			const now = { ...toast, ...words };
			this.#shown.set(box, now);
			reword(box, now);
		}
	}

	/** @param {HTMLElement} box */
	remove(box) {
		this.#countdown.forget(box);
		this.#shown.delete(box);
		if (box === this.#rest) this.#rest = undefined;
		box.remove();
		if (this.#shown.size > 0) return;
		this.#region.hidden = true;
		this.#voice.replaceChildren();
	}

	/** Keeps all toasts on display while the reason applies. @param {string} reason @param {boolean} stands */
	stand(reason, stands) {
		this.#countdown.stand(reason, stands);
	}

	/** @param {number} n */
	#count(n) {
		const before = this.#rest && this.#shown.get(this.#rest)?.more;
		const toast = { id: "", title: "", body: "", link: "", more: n + (before ?? 0) };
		if (!this.#rest) {
			this.#rest = this.#add(toast);
			return;
		}
		// The number grows in place and is announced only once.
		this.#shown.set(this.#rest, toast);
		this.#countdown.set(this.#rest, stays);
		const words = this.#rest.querySelector(".toast-title > span");
		if (words) words.textContent = spoken(toast);
	}

	/** @param {Toast} toast */
	#add(toast) {
		const box = this.#put(toast);
		this.#countdown.set(box, stays);
		this.#say(spoken(toast));
		return box;
	}

	/** @param {Toast} toast */
	#put(toast) {
		const box = card(toast);
		this.#shown.set(box, toast);
		this.#region.hidden = false;
		if (this.#rest) this.#rest.after(box);
		else this.#list.prepend(box);
		return box;
	}

	/** @param {string} phrase */
	#say(phrase) {
		this.#phrases.push(phrase);
		if (this.#phrases.length > 1) return;
		this.#time.after(moment, () => {
			this.#voice.replaceChildren(...this.#phrases.map(line));
			this.#phrases = [];
		});
	}
}

/** @param {string} words */
function line(words) {
	const p = document.createElement("p");
	p.textContent = words;
	return p;
}

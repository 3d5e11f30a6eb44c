// @ts-check
import { card, reword, spoken } from "./card.js";
import { clock } from "./clock.js";
import { Countdown } from "./countdown.js";

/** @typedef {import("./card.js").Toast} Toast */

const stays = 8000; // ms in which somebody can look at it
const most = 3; // at once; what comes beyond that is a number
const moment = 100; // ms: what comes together is said together

/**
 * The toasts on the screen, the newest on top. They are said aloud, each whole, and
 * go by themselves after a while. None makes room for one that comes: the fourth
 * is counted above the three.
 */
export class Cards {
	/** @type {Map<HTMLElement, Toast>} */ #shown = new Map(); // oldest first
	/** @type {HTMLElement | undefined} */ #rest; // says how many are counted
	/** @type {string[]} */ #phrases = []; // about to be said
	#countdown;
	#region;
	#list;
	#voice;
	#time;

	/**
	 * @param {HTMLElement} region is hidden when there is none
	 * @param {HTMLElement} list stands in it
	 * @param {HTMLElement} voice what is put there is read aloud
	 * @param {import("./clock.js").Clock} [time]
	 */
	constructor(region, list, voice, time = clock) {
		this.#region = region;
		this.#list = list;
		this.#voice = voice;
		this.#time = time;
		this.#countdown = new Countdown((/** @type {HTMLElement} */ box) => this.remove(box), time);
	}

	/** The boxes, the newest first. */
	get boxes() {
		return [...this.#list.children].filter((box) => box instanceof HTMLElement);
	}

	/** What is shown, the oldest first, and for how long yet. */
	get left() {
		return [...this.#shown].map(([box, toast]) => ({ toast, left: this.#countdown.left(box) }));
	}

	/** Shows for the rest of its time what another page has shown and said. @param {import("./handover.js").Left} shown */
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

	/** Takes away those that have become void. @param {(toast: Toast) => boolean} is */
	forget(is) {
		for (const [box, toast] of this.#shown) if (is(toast)) this.remove(box);
	}

	/** Those that were edited say what they say now. @param {(toast: Toast) => boolean} is @param {Partial<Toast>} words */
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

	/** They all stay as long as there is a reason to. @param {string} reason @param {boolean} stands */
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
		// The number grows where it stands, and is said once.
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

// @ts-check
import { announcer } from "../js/announcer.js";
import { make } from "./dom.js";

/** @typedef {import("./element.js").CarillonElement} CarillonElement */

/** The places from which elements can speak to screen readers. Only the first one does. @type {Map<CarillonElement, HTMLElement>} */ const places = new Map();

let waiting = "";
let important = false;
const say = announcer(() => {
	const [place] = places.values();
	if (place) place.textContent = waiting;
	important = false;
});

/** Gives an element a place from which it can speak, unless it has one. @param {CarillonElement} el */
export function voice(el) {
	if (places.get(el)?.isConnected || !el.shadowRoot?.firstChild) return;
	const place = make("p", { class: "sr", part: "status" });
	el.shadowRoot.append(place);
	places.set(el, place);
	elect();
	el.atEnd(() => {
		places.delete(el);
		elect();
	});
}

function elect() {
	const [first] = places.values();
	first?.setAttribute("role", "status");
}

/**
 * Speaks a phrase: at most one in 5 seconds, for all elements of the page. Of several waiting phrases the last is
 * spoken, and a toast rather than a number.
 * @param {CarillonElement} el
 * @param {string} phrase
 * @param {boolean} [toast]
 */
export function speak(el, phrase, toast = false) {
	voice(el);
	if (important && !toast) return;
	[waiting, important] = [phrase, toast];
	say(phrase);
}

/** Drops waiting and spoken phrases: they were for a user who has left. */
export function hush() {
	[waiting, important] = ["", false];
	for (const place of places.values()) place.textContent = "";
}

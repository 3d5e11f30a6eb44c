// @ts-check
import { announcer } from "../js/announcer.js";
import { make } from "./dom.js";

/** The places from which elements can speak to screen readers. Only the first one does. @type {Set<HTMLElement>} */ const places = new Set();

let waiting = "";
let important = false;
const say = announcer(() => {
	const [place] = places;
	if (place) place.textContent = waiting;
	important = false;
});

/** Creates a place from which an element can speak. @param {import("./element.js").CarillonElement} el */
export function voice(el) {
	const place = make("p", { class: "sr", part: "status" });
	places.add(place);
	elect();
	el.atEnd(() => {
		places.delete(place);
		elect();
	});
	return place;
}

function elect() {
	const [first] = places;
	first?.setAttribute("role", "status");
}

/**
 * Speaks a phrase: at most one in 5 seconds, for all elements of the page. Of several waiting phrases the last is
 * spoken, and a toast rather than a number.
 * @param {string} phrase
 * @param {boolean} [toast]
 */
export function speak(phrase, toast = false) {
	if (important && !toast) return;
	[waiting, important] = [phrase, toast];
	say(phrase);
}

/** Drops waiting and spoken phrases: they were for a user who has left. */
export function hush() {
	[waiting, important] = ["", false];
	for (const place of places) place.textContent = "";
}

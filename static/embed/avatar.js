// @ts-check
import { icon, make } from "./dom.js";

/** @typedef {{icon?: string, color: string}} Look */

/** The hues of the server's colors. Those before pink are derived from texts. @type {Record<string, number>} */
const hues = { amber: 75, blue: 245, green: 150, red: 15, purple: 295, teal: 205, pink: 345 };
const derived = 6;

/**
 * Builds what stands before a row: the actor, with the type in the corner, or the type.
 * @param {{type: string, actors?: readonly {id?: string, name: string, image?: string}[]}} of
 * @param {Promise<Look | undefined>} [asked]
 */
export function avatar({ type, actors: [actor] = [] }, asked) {
	const all = actor ? disc("avatar", hueOf(actor.id || actor.name), initials(actor.name), actor.image && picture("face", actor.image, "")) : disc("avatar", 0, initials(type));
	asked?.then((look) => {
		const sign = look?.icon && icon(look.icon);
		const hue = look && hues[look.color];
		if (actor) sign && all.append(disc("corner", hue, sign));
		else all.replaceWith(disc("avatar", hue, sign || initials(type)));
	});
	return all;
}

/** @param {string} name @param {number | undefined} hue @param {(Node | string | undefined | false)[]} children */
function disc(name, hue, ...children) {
	const el = make("span", { class: name, part: name, "aria-hidden": "true" }, ...children);
	el.style.setProperty(hue ? "--h" : "--i", `${hue ?? 0}`); // gray has no hue
	return el;
}

/**
 * Builds a picture that disappears if it cannot be loaded, or if the policy of the page forbids it.
 * @param {string} name its class and part @param {string} src @param {string} alt
 */
export function picture(name, src, alt) {
	const img = make("img", { class: name, part: name, alt, loading: "lazy", referrerpolicy: "no-referrer", error: () => img.remove(), src });
	return img;
}

/** Returns the first letters of the first and the last word. @param {string} name */
function initials(name) {
	const words = name.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [""];
	return (words.length > 1 ? [words[0], words.at(-1)] : words).map(([c] = "") => c).join("").toUpperCase();
}

/** Returns the hue that the server derives from a text (FNV-1a). @param {string} text */
function hueOf(text) {
	let sum = 0x811c9dc5;
	for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 0x1000193);
	return Object.values(hues)[(sum >>> 0) % derived];
}

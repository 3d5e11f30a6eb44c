// @ts-check

/**
 * What an option shows: a name with a note about it. A category has a label that people read instead, and an icon or initials.
 * @typedef {{name: string, note: string, label?: string, icon?: string, initials?: string, tint?: string}} Shown
 */

/**
 * Builds an option of a list box.
 * @param {Shown} offer
 * @param {string} id
 */
export function option({ name, note, label, icon, initials, tint }, id) {
	const [one, named, noted] = [document.createElement("div"), document.createElement("span"), document.createElement("small")];
	one.id = id;
	one.setAttribute("role", "option");
	named.dir = "auto";
	named.textContent = label ?? name;
	noted.textContent = note;
	one.append(tint ? mark(tint, icon, initials) : "", named, " ", noted);
	return one;
}

/** @param {string} tint @param {string} [icon] its name in the sprite @param {string} [initials] */
function mark(tint, icon, initials = "") {
	const disc = document.createElement("i");
	disc.className = `avatar tint-${tint}`;
	disc.setAttribute("aria-hidden", "true");
	const other = document.querySelector("svg.icon:has(use)"); // of the same sprite
	const sign = other?.cloneNode(true);
	if (!icon || !(sign instanceof SVGElement)) disc.append(initials);
	else {
		const use = sign.querySelector("use");
		use?.setAttribute("href", `${use.getAttribute("href")?.split("#")[0]}#${icon}`);
		disc.append(sign);
	}
	return disc;
}

// @ts-check

/**
 * What an option shows: a name with a note about it. A category has a label that people read instead, and an icon or initials.
 * @typedef {{name: string, note: string, label?: string, icon?: string, initials?: string, tint?: string, section?: string}} Shown
 */

/**
 * Builds the options of a list box, in groups if they have sections.
 * @param {Shown[]} offers
 * @param {string} id of the list
 */
export function optionsOf(offers, id) {
	/** @type {HTMLElement[]} */ const built = [];
	let last = "";
	for (const [i, offer] of offers.entries()) {
		const one = option(offer, `${id}-${i}`);
		if (offer.section && offer.section !== last) built.push(section(offer.section, `${id}-section-${i}`));
		last = offer.section ?? "";
		if (last) built.at(-1)?.append(one);
		else built.push(one);
	}
	return built;
}

/** @param {string} name @param {string} id */
function section(name, id) {
	const [group, heading] = [document.createElement("div"), document.createElement("div")];
	group.setAttribute("role", "group");
	group.setAttribute("aria-labelledby", id);
	heading.setAttribute("role", "presentation");
	[heading.id, heading.className, heading.textContent] = [id, "section", name];
	group.append(heading);
	return group;
}

/**
 * Builds an option of a list box.
 * @param {Shown} offer
 * @param {string} id
 */
function option({ name, note, label, icon, initials, tint }, id) {
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
export function mark(tint, icon, initials = "") {
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

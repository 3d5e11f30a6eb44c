// @ts-check

/**
 * Makes an element. Its children are texts or elements, never HTML.
 * @param {string} name
 * @param {Record<string, string | boolean | null | undefined | ((e: any) => void)>} [attributes] a function listens to the event of that name
 * @param {...(Node | string | null | undefined)} children
 */
export function make(name, attributes = {}, ...children) {
	const el = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (typeof value === "function") el.addEventListener(key, value);
		else if (value === true) el.setAttribute(key, "");
		else if (value || value === "") el.setAttribute(key, value);
	}
	el.append(...children.filter((c) => c !== null && c !== undefined));
	return el;
}

/**
 * Returns the target of a link: the path, for routers, if it is on the origin of this page, else the address.
 * @param {string} link
 */
export function route(link) {
	const { origin, href } = new URL(link, document.baseURI);
	return origin === location.origin ? href.slice(origin.length) : link;
}

/** @param {string} d the path of an icon of 24 by 24 */
export function icon(d) {
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	svg.setAttribute("viewBox", "0 0 24 24");
	svg.setAttribute("aria-hidden", "true");
	svg.setAttribute("part", "icon");
	const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
	path.setAttribute("d", d);
	svg.append(path);
	return svg;
}

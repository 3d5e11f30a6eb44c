// @ts-check

/**
 * Makes an element. Its children are texts or elements, never HTML.
 * @param {string} name
 * @param {Record<string, string | boolean | null | undefined | ((e: any) => void)>} [attributes] a function listens to the event of that name
 * @param {...(Node | string | null | undefined | false)} children
 */
export function make(name, attributes = {}, ...children) {
	const el = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (typeof value === "function") el.addEventListener(key, value);
		else if (value === true) el.setAttribute(key, "");
		else if (value || value === "") el.setAttribute(key, value);
	}
	el.append(...children.map((c) => c || ""));
	return el;
}

/**
 * Makes a link, or the text alone if it leads nowhere.
 * @param {string} text @param {string} link @param {Record<string, string>} attributes @param {(e: Event) => void} [click]
 */
export function link(text, link, attributes, click) {
	return link ? make("a", { ...attributes, dir: "auto", href: new URL(link, document.baseURI).href, click }, text) : make("span", { ...attributes, dir: "auto" }, text);
}

/** Makes the title of a row or toast. @param {{title: string, link: string}} of @param {(e: Event) => void} [click] */
export const titleOf = (of, click) => link(of.title, of.link, { class: "title", part: "title" }, click);

/** Makes the text of a row or toast. @param {{body: string}} of */
export const bodyOf = ({ body }) => body && link(body, "", { class: "body", part: "body" });

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

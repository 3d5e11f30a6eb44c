// @ts-check

/** Where this script comes from. */
export const home = new URL("../", import.meta.url).href;

// A host without http(s): or // before it would be a path, and two backslashes would be slashes.
const clear = /^((https?:)?\/\/[^/\\\s]|\.{0,2}\/(?!\/))[^\\\s]*$/i;

/**
 * Returns the base URL for a text: it ends with a slash, and has no query. A path is on the host of the page, and a
 * blank text stands for the server of this script.
 * @param {string | null | undefined} text
 * @throws {TypeError} if the host is ambiguous: a token could go to the wrong one
 */
export function baseOf(text) {
	const meant = text?.trim();
	if (!meant) return home;
	const url = addressOf("server", meant, "https://HOST/", clear);
	url.search = url.hash = "";
	return url.href.replace(/\/*$/, "/");
}

/**
 * Resolves an address as the page would.
 * @param {string} name of the attribute
 * @param {string} text
 * @param {string} example a correct value
 * @param {RegExp} [form] its required form
 * @throws {TypeError} if it is neither http nor https, or has a password
 */
export function addressOf(name, text, example, form = /^/) {
	const url = form.test(text) && URL.canParse(text, document.baseURI) && new URL(text, document.baseURI);
	if (!url || !/^http/.test(url.protocol) || url.username || url.password) throw new TypeError(`${name}="${text}" must be an address such as ${example}`);
	return url;
}

/** Reports whether a page needs no tokens, because the server is on the page's own host. @param {string} server */
export const ours = (server) => new URL(server).origin === self.origin;

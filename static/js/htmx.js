// @ts-check

/**
 * The part of htmx that modules call. It is loaded as a script of its own,
 * because it is not a module.
 * @typedef {{
 *   ajax: (method: string, address: string, how: {target: Element, swap?: string}) => Promise<void>,
 *   swap: (target: Element, text: string, how: {swapStyle: string}, what: {select: string}) => void,
 * }} HTMX
 */

/** @returns {HTMX | undefined} nothing when it was not loaded: all works without */
export function htmx() {
	return /** @type {any} */ (window).htmx;
}

/**
 * Hears what htmx tells of a request.
 * @param {string} name such as htmx:afterRequest
 * @param {(about: {elt: Element, xhr: XMLHttpRequest, successful?: boolean, requestConfig?: {elt: Element, path: string}}) => void} handle
 */
export function on(name, handle) {
	document.addEventListener(name, (e) => handle(/** @type {CustomEvent} */ (e).detail));
}

// @ts-check

/**
 * The part of htmx that modules call. htmx is not a module, so a separate script
 * tag loads it.
 * @typedef {{
 *   ajax: (method: string, address: string, how: {target: Element, swap?: string, select?: string}) => Promise<void>,
 *   process: (part: Element) => void,
 *   swap: (target: Element, text: string, how: {swapStyle: string}, what: {select: string}) => void,
 * }} HTMX
 */

/** @returns {HTMX | undefined} undefined when it was not loaded: everything works without it */
export function htmx() {
	return /** @type {any} */ (window).htmx;
}

/**
 * Listens for an event of htmx about a request.
 * @param {string} name such as htmx:afterRequest
 * @param {(about: {elt: Element, target?: HTMLElement, xhr: XMLHttpRequest, successful?: boolean, requestConfig?: {elt: Element, path: string}}) => void} handle
 */
export function on(name, handle) {
	document.addEventListener(name, (e) => handle(/** @type {CustomEvent} */ (e).detail));
}

// @ts-check

/**
 * Returns an address that a service worker of the page has never seen: a worker that keeps all answers would
 * give back those to the user before.
 * @param {string} address absolute
 */
export function fresh(address) {
	return navigator.serviceWorker?.controller ? `${address}${address.includes("?") ? "&" : "?"}_=${Math.random()}` : address;
}

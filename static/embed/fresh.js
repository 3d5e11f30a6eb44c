// @ts-check

/**
 * Returns an address that no service worker of the page has cached: a worker that caches all responses would return
 * those for the previous user.
 * @param {string} address absolute
 */
export function fresh(address) {
	return navigator.serviceWorker?.controller ? `${address}${address.includes("?") ? "&" : "?"}_=${Math.random()}` : address;
}

// @ts-check

/**
 * Returns an address that no service worker of the page has cached: a worker that caches all responses would return
 * those for the previous user. A frame in a sandbox, whose origin is "null", has no worker, and access to one throws.
 * @param {string} address absolute
 */
export function fresh(address) {
	return self.origin !== "null" && navigator.serviceWorker?.controller ? address.replace(/\?|$/, `?_=${Math.random()}&`) : address;
}

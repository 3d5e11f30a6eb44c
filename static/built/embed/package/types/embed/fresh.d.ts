/**
 * Returns an address that no service worker of the page has cached: a worker that caches all responses would return
 * those for the previous user. A frame in a sandbox, whose origin is "null", has no worker, and access to one throws.
 * @param {string} address absolute
 */
export declare function fresh(address: string): string;

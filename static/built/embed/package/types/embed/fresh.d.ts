/**
 * Returns an address that a service worker of the page has never seen: a worker that keeps all answers would
 * give back those to the user before.
 * @param {string} address absolute
 */
export declare function fresh(address: string): string;

/**
 * Returns a function that decides for each toast whether this tab shows it: among the visible tabs of a browser, the
 * first to acquire the lock with the toast's name. It calls again for a toast that was shown here before: its
 * acknowledgement was lost.
 * @param {string} name of the user's notices
 */
export declare function taking(name: string): (/** @type {string} */ id: string, /** @type {() => void} */ show: () => void, /** @type {() => void} */ again: () => void) => Promise<void>;

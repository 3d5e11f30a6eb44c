/** Builds the time of a row. @param {string} at RFC 3339 @param {string} lang */
export declare function time(at: string, lang: string): HTMLElement;
/** Updates the times in a list each minute, with one timer for all lists. Returns a function that ends this. @param {HTMLElement} list @param {string} lang */
export declare function ticks(list: HTMLElement, lang: string): () => undefined;

/** Builds the time of a row. @param {string} at RFC 3339 @param {string} lang */
export declare function time(at: string, lang: string): HTMLElement;
/** @param {HTMLElement} el @param {string} lang */
export declare function write(el: HTMLElement, lang: string): void;

/**
 * Formats how long ago something was, in few letters; null when it is so long ago
 * that only the date is useful.
 * @param {number} ms its age
 * @param {string} lang
 * @returns {string | null}
 */
export declare function ago(ms: number, lang: string): string | null;
/** Shows how long ago each row arrived. Without scripts rows show the time of day. */
export declare function startTimes(): void;
/** Updates the times of all rows, including those added without htmx. */
export declare function showTimes(): void;

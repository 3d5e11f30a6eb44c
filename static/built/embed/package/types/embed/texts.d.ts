/** Texts: an id, then the text in each of the languages, which the first row names. */
declare const rows: [string[], ...string[][]];
/** Adds the texts of a module that was loaded later. @param {typeof rows} added */
export declare const learn: (added: typeof rows) => number;
/**
 * Returns a function that writes texts in the best matching language. Chinese of Taiwan, Hong Kong and Macao, and Cantonese, are
 * Traditional; other Chinese is Simplified.
 * @param {string} wish BCP 47
 */
export declare function texts(wish: string): {
    lang: string;
    text: (id: string, values?: Record<string, string | number>) => string;
};
export {};

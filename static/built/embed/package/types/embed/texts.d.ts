/**
 * Returns a function that writes texts in the best matching language.
 * @param {string} wish BCP 47
 */
export declare function texts(wish: string): {
    lang: string;
    text: (id: string, values?: Record<string, string | number>) => string;
};

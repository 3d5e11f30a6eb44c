/**
 * Returns how to write texts in the language that fits a wish best.
 * @param {string} wish BCP 47
 */
export declare function texts(wish: string): {
    lang: string;
    text: (id: string, values?: Record<string, string | number>) => string;
};

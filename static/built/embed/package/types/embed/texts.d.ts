/** Texts in all languages, each at the index of its id. */
declare const catalogues: Record<string, (string | Record<string, string>)[]>[];
/** Adds the texts of a module that was loaded later. @param {typeof catalogues[0]} added */
export declare const learn: (added: typeof catalogues[0]) => number;
/**
 * Returns a function that writes texts in the best matching language.
 * @param {string} wish BCP 47
 */
export declare function texts(wish: string): {
    lang: string;
    text: (id: string, values?: Record<string, string | number>) => string;
};
export {};

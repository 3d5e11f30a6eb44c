/**
 * @param {string} id
 * @param {{Count?: number} & Record<string, string | number>} [values] Count chooses the plural form
 * @returns {string}
 */
export declare function text(id: string, values?: {
    Count?: number;
} & Record<string, string | number>): string;

// @ts-check

/** Texts: an id, then the text in each of the languages, which the first row names. */
const rows = __CARILLON_TEXTS__;

/** Adds the texts of a module that was loaded later. @param {typeof rows} added */
export const learn = (added) => rows.push(...added);

/**
 * Returns a function that writes texts in the best matching language. Chinese of Taiwan, Hong Kong and Macao, and Cantonese, are
 * Traditional; other Chinese is Simplified.
 * @param {string} wish BCP 47
 */
export function texts(wish) {
	const [base] = /** @type {[string]} */ (wish.split("-"));
	const known = rows[0];
	const lang = /^(zh-(hant|tw|hk|mo)|yue)/i.test(wish) ? "zh-Hant" : known.includes(base) ? base : "en";
	/** @param {string} id @param {Record<string, string | number>} [values] */
	const text = (id, values = {}) => {
		const found = rows.find((row) => row[0] === id)?.[known.indexOf(lang)] ?? id;
		return found.replace(/\{(\w+)\}/g, (_, name) => /** @type {string} */ (values[name]));
	};
	return { lang, text };
}

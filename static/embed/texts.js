// @ts-check

/**
 * The texts of all languages, which the server inserts in place of this string.
 * @type {Record<string, Record<string, string | Record<string, string>>>}
 */
const catalogues = JSON.parse("__CARILLON_TEXTS__");

/**
 * Returns a function that writes texts in the best matching language.
 * @param {string} wish BCP 47
 */
export function texts(wish) {
	const known = Object.keys(catalogues);
	const lang = known.find((l) => l === wish) ?? known.find((l) => l.split("-")[0] === wish.split("-")[0]) ?? "en";
	const plural = new Intl.PluralRules(lang);
	/** @param {string} id @param {Record<string, string | number>} [values] */
	const text = (id, values = {}) => {
		const found = catalogues[lang]?.[id] ?? id;
		const form = typeof found === "string" ? found : (found[plural.select(Number(values.Count))] ?? found.other ?? id);
		return form.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
	};
	return { lang, text };
}

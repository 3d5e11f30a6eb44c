// @ts-check

/** Texts in all languages, each at the index of its id. */
const catalogues = [__CARILLON_TEXTS__];

/** Adds the texts of a module that was loaded later. @param {typeof catalogues[0]} added */
export const learn = (added) => catalogues.push(added);

/**
 * Returns a function that writes texts in the best matching language.
 * @param {string} wish BCP 47
 */
export function texts(wish) {
	const known = catalogues.flatMap(Object.keys);
	const lang = known.find((l) => l === wish) ?? known.find((l) => l.split("-")[0] === wish.split("-")[0]) ?? "en";
	const plural = new Intl.PluralRules(lang);
	/** @param {string} id @param {Record<string, string | number>} [values] */
	const text = (id, values = {}) => {
		const found = catalogues.map((all) => all[lang]?.[/** @type {string[]} */ (all.ids).indexOf(id)]).find(Boolean) ?? id;
		const form = typeof found === "string" ? found : (found[plural.select(Number(values.Count))] ?? found.other ?? id);
		return form.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
	};
	return { lang, text };
}

// @ts-check
// The texts of the modules, in the language of the page. The server writes them
// into the page: id → text with {Name} in place of each value, or id → plural
// form → text.

const lang = document.documentElement.lang || "en";
const plural = new Intl.PluralRules(lang);
const number = new Intl.NumberFormat(lang);

/** @type {Record<string, string | Record<string, string>>} */
const texts = JSON.parse(document.body.dataset.texts || "{}");

/**
 * @param {string} id
 * @param {{Count?: number} & Record<string, string | number>} [values] Count chooses the plural form
 * @returns {string}
 */
export function text(id, values = {}) {
	const forms = texts[id] ?? "";
	const found = typeof forms === "string" ? forms : (forms[plural.select(values.Count ?? 0)] ?? forms.other ?? "");
	return found.replace(/\{(\w+)\}/g, (_, name) => {
		const value = values[name] ?? "";
		return typeof value === "number" ? number.format(value) : value;
	});
}

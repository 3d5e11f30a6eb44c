// @ts-check
// Names in a text field: several, separated by commas, semicolons, tabs or line breaks, or a
// single one that is the whole text. The server parses them the same way.

/**
 * The name under the caret.
 * @typedef {{begin: number, end: number, part: string, others: string[]}} Typed
 * part is its text before the caret, others are the other names in the field
 */

const between = /[,;，；、\t\r\n]/;

/**
 * @param {string} text
 * @param {number} caret
 * @param {boolean} several
 * @returns {Typed}
 */
export function nameAt(text, caret, several) {
	let [begin, end] = [0, text.length];
	if (several) {
		for (begin = caret; begin > 0 && !between.test(text.charAt(begin - 1)); ) begin--;
		for (end = caret; end < text.length && !between.test(text.charAt(end)); ) end++;
	}
	const others = several ? [...text.slice(0, begin).split(between), ...text.slice(end).split(between)] : [];
	while (begin < caret && text.charAt(begin) === " ") begin++;
	return { begin, end, part: text.slice(begin, caret).trim(), others: others.map((name) => name.trim()).filter(Boolean) };
}

/**
 * Returns the text that replaces a typed name by the chosen one. The last of
 * several gets a comma, so that the next one can be typed.
 * @param {string} text
 * @param {Typed} typed
 * @param {string} name
 * @param {boolean} several
 */
export function completed(text, typed, name, several) {
	return several && text.slice(typed.end).trim() === "" ? `${name}, ` : name;
}

/**
 * Returns the names worth suggesting: not those already in the field, nor those that
 * the field cannot hold, and nothing if the only match is already typed in full: a name without a kind is a user's.
 * @template {{name: string, kind?: string, fresh?: boolean}} N
 * @param {N[]} names
 * @param {Typed} typed
 * @param {boolean} several
 * @returns {N[]}
 */
export function offers(names, typed, several) {
	const found = names.filter(({ name }) => name === name.trim() && !typed.others.includes(name) && !(several && between.test(name)));
	const [only] = found;
	return only && found.length === 1 && only.name === typed.part && (only.kind ?? "user") === "user" && !only.fresh ? [] : found;
}

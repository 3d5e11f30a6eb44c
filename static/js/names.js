// @ts-check
// Names in a text field: several of them with commas or lines between them, or
// one that is the whole of it. The server reads them the same way.

/**
 * The name under the caret.
 * @typedef {{begin: number, end: number, part: string, others: string[]}} Typed
 * part is what stands before the caret, others are the other names of the field
 */

const between = /[,\r\n]/;

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
 * What takes the place of a name when another was chosen for it: one of
 * several goes on with the next.
 * @param {string} text
 * @param {Typed} typed
 * @param {string} name
 * @param {boolean} several
 */
export function completed(text, typed, name, several) {
	return several && text.slice(typed.end).trim() === "" ? `${name}, ` : name;
}

/**
 * Those of the names that are worth an offer: none that stands in the field
 * already, none that could not be read there, and no list of one that is
 * written out.
 * @template {{name: string}} N
 * @param {N[]} names
 * @param {Typed} typed
 * @param {boolean} several
 * @returns {N[]}
 */
export function offers(names, typed, several) {
	const found = names.filter(({ name }) => name === name.trim() && !typed.others.includes(name) && !(several && between.test(name)));
	return found.length === 1 && found[0]?.name === typed.part ? [] : found;
}

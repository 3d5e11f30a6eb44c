// @ts-check

// The number in the title of the page. The rest of the title belongs to the page, whose router may change it at any
// time, and may restore a title that it read with a number.

const remembered = 50; // titles

/** The numbers of the elements that show one; the first counts. @type {Map<object, string>} */ const numbers = new Map();
/** Titles of the page that have had a number before them. @type {Set<string>} */ const plains = new Set();
let [plain, written] = ["", ""];

const watch = globalThis.MutationObserver && new MutationObserver(() => document.title !== written && write());

/**
 * Puts a number before the title, or removes it.
 * @param {object} element
 * @param {string | null} number null: the element shows none any more
 */
export function entitle(element, number) {
	const before = numbers.size;
	if (number === null) numbers.delete(element);
	else numbers.set(element, number);
	if (before + numbers.size === 0) return;
	if (before === 0) {
		plain = written = document.title;
		plain = plainOf(written);
	}
	write();
	watch.disconnect();
	if (numbers.size > 0) watch.observe(document.head, { childList: true, subtree: true, characterData: true });
}

function write() {
	if (document.title !== written) plain = plainOf(document.title);
	const [number = ""] = numbers.values();
	if (number) {
		plains.add(plain);
		for (const old of plains) if (plains.size > remembered) plains.delete(old);
	}
	const title = number ? `(${number}) ${plain}` : plain;
	if (document.title !== title) document.title = title;
	written = document.title;
}

/** Removes the number from a title that the page has read. @param {string} title */
function plainOf(title) {
	if (plain && written !== plain && title.includes(written)) return title.replace(written, () => plain);
	const rest = title.replace(/^\(\d+\+?\) /, "");
	return plains.has(rest) ? rest : title;
}

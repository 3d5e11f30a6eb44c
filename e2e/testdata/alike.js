// Finds repetition: `alike()` returns the items of lists and the rows of tables that have the same markup as an
// earlier one of the same parent, except for words, numbers and addresses. The first and the last are never included,
// because styles may apply only to them.
window.alike = () => {
	// For all other attributes only their presence counts, and whether they are empty.
	const telling = new Set(["class", "role", "type", "hidden", "open", "disabled", "checked", "tabindex", "lang", "dir", "scope", "data-read", "data-fits"]);
	const form = (node) => {
		if (node.nodeType === Node.TEXT_NODE) return node.data.trim() && "text";
		if (node.nodeType !== Node.ELEMENT_NODE) return "";
		const attributes = [...node.attributes].map(({ name, value }) => `${name}=${telling.has(name) || name.startsWith("aria-") && /^(true|false|page|polite)?$/.test(value) ? value : Boolean(value.trim())}`);
		return `<${node.localName} ${attributes.join(" ")}>${[...node.childNodes].map(form).join("")}</>`;
	};
	const found = [];
	for (const parent of new Set([...document.querySelectorAll("li, tbody > tr, .row")].map((el) => el.parentElement))) {
		const seen = new Set();
		for (const el of parent.children) {
			const one = form(el);
			const edge = el === parent.firstElementChild || el === parent.lastElementChild;
			if (seen.has(one) && !edge && !el.contains(document.activeElement)) found.push(el);
			seen.add(one);
		}
	}
	return found;
};

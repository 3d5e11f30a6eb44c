// @ts-check

/**
 * Builds an option of a list box: a name with a note about it.
 * @param {{name: string, note: string}} offer
 * @param {string} id
 */
export function option({ name, note }, id) {
	const [one, named, noted] = [document.createElement("div"), document.createElement("span"), document.createElement("small")];
	one.id = id;
	one.setAttribute("role", "option");
	named.dir = "auto";
	named.textContent = name;
	noted.textContent = note;
	one.append(named, " ", noted);
	return one;
}

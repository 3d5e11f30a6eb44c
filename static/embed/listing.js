// @ts-check

/**
 * Shows rows in a list. Unchanged rows keep their elements, so nothing flickers.
 * @param {HTMLElement} ul
 * @param {WeakMap<object, HTMLElement>} made the elements of rows
 * @param {readonly any[]} rows notices and announcements
 * @param {(of: any) => HTMLElement} make
 */
export function list(ul, made, rows, make) {
	const shown = rows.map((of) => {
		const li = made.get(of) ?? make(of);
		made.set(of, li);
		return li;
	});
	const stay = new Set(/** @type {Element[]} */ (shown));
	const focused = /** @type {HTMLElement | undefined} */ ([...ul.children].find((li) => li.contains(/** @type {ShadowRoot} */ (ul.getRootNode()).activeElement)));
	for (const li of [...ul.children]) if (!stay.has(li)) li.remove();
	let at = ul.firstElementChild;
	for (const li of shown) {
		if (li === at) at = at.nextElementSibling;
		else ul.insertBefore(li, at);
	}
	// The row that has the focus was rebuilt.
	if (focused && !focused.isConnected) shown.find((li) => li.dataset.key === focused.dataset.key)?.querySelector(/** @type {"a"} */ ("a, button"))?.focus();
}

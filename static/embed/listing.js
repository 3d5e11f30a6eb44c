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
	const before = /** @type {HTMLElement[]} */ ([...ul.children]);
	const active = /** @type {ShadowRoot} */ (ul.getRootNode()).activeElement;
	const place = before.findIndex((li) => li.contains(active));
	for (const li of before) if (!stay.has(li)) li.remove();
	let at = ul.firstElementChild;
	for (const li of shown) {
		if (li === at) at = at.nextElementSibling;
		else ul.insertBefore(li, at);
	}
	const had = before[place];
	if (!had || had.isConnected) return;
	// The row that has the focus was rebuilt, or it is gone and the next one gets the focus.
	const controls = (/** @type {HTMLElement | undefined} */ li) => /** @type {HTMLElement[]} */ ([...(li?.querySelectorAll("a, button") ?? [])]);
	const nth = controls(had).indexOf(/** @type {HTMLElement} */ (active));
	const all = controls(shown.find((li) => li.dataset.key === had.dataset.key) ?? shown[Math.min(place, shown.length - 1)]);
	(all[nth] ?? all[0])?.focus();
}

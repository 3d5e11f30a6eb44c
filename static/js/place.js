// @ts-check

/** The positions that toasts can have, the usual one first; the style sheet defines them. */
const places = ["end", "start", "top"];

/**
 * Moves the toasts to a position where they cover neither the focus nor anything open.
 * @param {HTMLElement} region
 */
export function place(region) {
	if (region.hidden) return;
	const focused = document.activeElement;
	const obstacles = [document.getElementById("panel"), document.querySelector(".done.floating"), focused?.matches("body, main, dialog, #panel") || region.contains(focused) ? null : focused];
	const boxes = obstacles.filter((e) => e !== null).map((e) => e.getBoundingClientRect());
	for (const where of [...places, places[0]]) {
		region.dataset.place = where;
		const own = region.getBoundingClientRect();
		if (!boxes.some((box) => overlap(own, box))) return;
	}
}

/** @param {DOMRect} a @param {DOMRect} b */
function overlap(a, b) {
	return b.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

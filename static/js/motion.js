// @ts-check

/**
 * Animates an element for a moment, unless the reader prefers reduced motion.
 * @param {Element | null | undefined} element
 * @param {PropertyIndexedKeyframes} frames
 */
export function move(element, frames) {
	if (matchMedia("(prefers-reduced-motion: no-preference)").matches) element?.animate(frames, 120);
}

/**
 * Lets everything below a row that goes slide into its place.
 * @param {Element} row
 * @param {number} high its height while it was shown, in CSS pixels
 */
export function close(row, high) {
	for (const above of [row, row.closest("section")]) {
		for (let next = above?.nextElementSibling; next; next = next.nextElementSibling) move(next, { translate: [`0 ${high}px`, "0 0"] });
	}
}

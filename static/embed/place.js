// @ts-check

const gap = 4; // px between a button and what it opens
const edge = 8; // px between that and the window

/**
 * Places what a button opens below it, or above it where there is more room.
 * @param {HTMLElement} box in the top layer
 * @param {Element} button
 * @param {string} [placement] bottom-end, bottom-start, top-end or top-start
 */
export function place(box, button, placement = "bottom-end") {
	const at = button.getBoundingClientRect();
	const { offsetWidth: width, offsetHeight: height } = box;
	const [side, end] = placement.split("-");
	const x = (end === "end") === (getComputedStyle(button).direction === "ltr") ? at.right - width : at.left;
	const room = innerHeight - at.bottom;
	const most = Math.min(height, 320);
	const below = side === "top" ? at.top < most && room > at.top : room > most || at.top < innerHeight / 2;
	box.style.setProperty("--x", `${Math.min(Math.max(edge, x), innerWidth - width - edge)}px`);
	box.style.setProperty("--y", `${below ? at.bottom + gap : Math.max(edge, at.top - height - gap)}px`);
}

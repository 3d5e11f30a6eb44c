// @ts-check

/**
 * Removes pictures of actors that cannot be loaded: the initials behind them remain, where browsers would show the sign
 * of a broken image.
 */
export function startFaces() {
	const faces = ".face > img";
	for (const img of document.querySelectorAll(faces)) if (img instanceof HTMLImageElement && img.complete && img.naturalWidth === 0) img.remove();
	document.addEventListener("error", (e) => e.target instanceof HTMLImageElement && e.target.matches(faces) && e.target.remove(), true); // it does not bubble
}

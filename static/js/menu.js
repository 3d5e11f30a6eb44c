// @ts-check

/** Closes the user menu on Escape, and on a click or the focus elsewhere. */
export function startMenu() {
	const menu = document.querySelector("details.menu");
	if (!(menu instanceof HTMLDetailsElement)) return;
	document.addEventListener("click", (e) => {
		if (menu.open && e.target instanceof Node && !menu.contains(e.target)) menu.open = false;
	});
	menu.addEventListener("focusout", (e) => {
		if (e.relatedTarget instanceof Node && !menu.contains(e.relatedTarget)) menu.open = false;
	});
	menu.addEventListener("keydown", (e) => {
		if (e.key !== "Escape" || !menu.open) return;
		menu.open = false;
		menu.querySelector("summary")?.focus();
	});
}

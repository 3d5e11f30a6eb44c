// @ts-check

/** Closes menus on Escape, and on a click or the focus elsewhere. */
export function startMenu() {
	/** @param {(menu: HTMLDetailsElement) => boolean} which */
	const close = (which) => {
		for (const menu of document.querySelectorAll("details.menu[open]")) if (menu instanceof HTMLDetailsElement && which(menu)) menu.open = false;
	};
	document.addEventListener("click", ({ target }) => {
		if (target instanceof Node) close((menu) => !menu.contains(target) || (target instanceof Element && target.closest(".menu-items button") !== null));
	});
	document.addEventListener("focusout", ({ target, relatedTarget }) => {
		if (target instanceof Node && relatedTarget instanceof Node) close((menu) => menu.contains(target) && !menu.contains(relatedTarget));
	});
	document.addEventListener("keydown", (e) => {
		const menu = e.target instanceof Element ? e.target.closest("details.menu[open]") : null;
		if (e.key !== "Escape" || !(menu instanceof HTMLDetailsElement)) return;
		menu.open = false;
		menu.querySelector("summary")?.focus();
	});
}

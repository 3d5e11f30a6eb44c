// Finds the elements of a selector, also in open shadow roots.
window.every = (sel, root = document) => [...root.querySelectorAll(sel), ...[...root.querySelectorAll("*")].flatMap((el) => (el.shadowRoot ? every(sel, el.shadowRoot) : []))];
// Finds layout faults of a page by measuring it: `look(touch)` returns a line for
// each fault.
window.look = (touch) => {
	const faults = [];
	const root = document.documentElement;
	const told = (el) => `<${el.localName} class="${el.getAttribute("class") ?? ""}"> ${(el.getAttribute("aria-label") ?? el.textContent ?? "").trim().slice(0, 40)}`;
	if (root.scrollWidth > root.clientWidth) {
		const wide = every("*", document.body).filter((el) => el.getBoundingClientRect().right > root.clientWidth + 0.5);
		faults.push(`scrolls sideways, ${root.scrollWidth} of ${root.clientWidth} px: ${wide.slice(0, 3).map(told).join(", ")}`);
	}
	for (const el of every("[part~=list]")) {
		if (el.scrollWidth > el.clientWidth) faults.push(`a list scrolls sideways, ${el.scrollWidth} of ${el.clientWidth} px`);
	}
	// A link in running text is as high as its line; WCAG exempts it.
	const amongWords = (el) => el.localName === "a" && getComputedStyle(el).display === "inline" && el.parentElement.textContent.trim() !== el.textContent.trim();
	// The area that can be pressed may be larger than the visible element.
	const pressed = (el) => (el.matches(":is(h2, h3) a") && el.closest(".row")) || (el.matches("a[part=title]") && el.closest("li, .toast")) || el.closest(".toast-title")?.closest(".toast") || (el.matches("[type=radio], [type=checkbox]") && el.closest("label")) || el;
	for (const el of every("a[href], button, summary, select, textarea, input:not([type=hidden])")) {
		if (!el.checkVisibility({ visibilityProperty: true }) || el.ariaHidden === "true" || amongWords(el)) continue;
		const { width, height } = pressed(el).getBoundingClientRect();
		const least = touch && !el.closest("td, th") ? 44 : 24;
		if (width < least - 0.1 || height < least - 0.1) faults.push(`${width.toFixed(1)} by ${height.toFixed(1)} px, less than ${least}: ${told(el)}`);
	}
	// Text that sticks out of its box.
	for (const el of every("button, .button, .tab, .chip, h1, h2, .badge, label, dt, dd, td, th")) {
		if (!el.checkVisibility() || el.closest(".sr-only") || el.matches("[part=bell]")) continue; // a wide badge stands out of its bell
		const style = getComputedStyle(el);
		if (style.overflowX === "visible" && el.scrollWidth > el.clientWidth + 1 && el.clientWidth > 0) faults.push(`stands out of its box: ${told(el)}`);
	}
	return faults;
};

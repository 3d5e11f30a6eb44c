// Finds elements that are not aligned with their neighbours: `lines()` returns a line for each fault. Browsers round
// to whole pixels in places, so a difference of one pixel is not a fault.
window.lines = () => {
	const faults = [];
	const told = (el) => `${el.localName} ${el.textContent.trim().slice(0, 40)}`;
	const apart = (what, px, el) => Math.abs(px) > 1 && faults.push(`${what} ${px.toFixed(1)} px: ${told(el)}`);
	const box = (el) => el.getBoundingClientRect();

	// The headings of a table share a baseline. On a phone so do the label and the value of a cell.
	// A label is generated content and cannot be measured: a temporary copy takes its place.
	const probes = [];
	const probe = (before) => {
		const p = document.createElement("i");
		p.style.cssText = "display: inline-block; width: 0; height: 0";
		before.before(p);
		probes.push(p);
		return p;
	};
	const words = (el) => document.createTreeWalker(el, NodeFilter.SHOW_TEXT, (t) => t.data.trim() && t.parentElement.checkVisibility() && !t.parentElement.closest(".sr-only") ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP).nextNode();
	const pairs = [];
	for (const head of document.querySelectorAll(".table thead tr")) {
		const [first, ...rest] = [...head.children].filter((th) => th.checkVisibility() && box(th).width > 1 && words(th)).map((th) => ({ th, p: probe(words(th)) }));
		for (const { th, p } of rest) if (getComputedStyle(th).display === "table-cell") pairs.push([`a head is off the line of the first by`, first.p, p, th]);
	}
	const [copies, wrapped] = [[], []];
	for (const cell of document.querySelectorAll(".table tbody tr:nth-child(-n+3) td[data-label]")) {
		const label = getComputedStyle(cell, "::before");
		const value = words(cell);
		if (label.content === "none" || label.display === "none" || !value) continue;
		if (value.parentElement === cell) { // text directly inside a grid is one grid item, and must remain one
			const whole = document.createElement("span");
			value.replaceWith(whole);
			whole.append(value);
			wrapped.push([whole, value]);
		}
		const copy = document.createElement("b");
		copy.textContent = cell.dataset.label;
		for (const name of ["fontSize", "fontWeight", "lineHeight", "alignSelf", "padding", "margin"]) copy.style[name] = label[name];
		copies.push([cell, copy, value]);
	}
	const plain = new CSSStyleSheet();
	plain.replaceSync("td[data-label]::before { content: none !important; }");
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, plain];
	for (const [cell, copy, value] of copies) {
		pairs.push(["a value is off the line of its label by", probe(copy.firstChild), probe(value), cell]);
		cell.prepend(copy);
	}
	for (const [what, a, b, el] of pairs) apart(what, box(b).bottom - box(a).bottom, el);
	for (const [, copy] of copies) copy.remove();
	for (const p of probes) p.remove();
	for (const [whole, value] of wrapped) whole.replaceWith(value);
	document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== plain);

	// The dot of an unread row is midway between the border and the circle, beside the first line
	// of the title.
	for (const dot of document.querySelectorAll(".row .dot")) {
		const row = dot.closest(".row");
		const range = document.createRange();
		range.selectNodeContents(row.querySelector("h2, h3").querySelector("[dir]"));
		const title = [...range.getClientRects()].find(({ width }) => width > 0);
		const circle = row.querySelector(".avatar");
		if (!dot.checkVisibility() || !title || !circle) continue;
		const { left, right, top, bottom } = box(dot);
		apart("a dot is off the middle of the title's first line by", (top + bottom - title.top - title.bottom) / 2, row);
		apart("a dot is nearer to the border than to the circle by", (box(circle).left - right - (left - box(row).left)) / 2, row);
	}

	// The badge and the ring around it do not cover the bell.
	const badge = document.querySelector("#badge");
	if (badge?.checkVisibility()) {
		const { left, right, top, bottom } = box(badge);
		const radius = (bottom - top) / 2;
		const ring = 2;
		for (const path of document.querySelectorAll("#bell .icon path")) {
			const at = path.getScreenCTM();
			const stroke = (parseFloat(getComputedStyle(path).strokeWidth) * at.a) / 2;
			let deepest = 0;
			for (let n = 0; n <= 200; n++) {
				const { x, y } = path.getPointAtLength((path.getTotalLength() * n) / 200).matrixTransform(at);
				const beside = x - Math.min(Math.max(x, left + radius), right - radius);
				deepest = Math.max(deepest, radius + ring + stroke - Math.hypot(beside, y - top - radius));
			}
			apart("the badge bites the bell by", deepest, badge);
		}
	}
	return faults;
};

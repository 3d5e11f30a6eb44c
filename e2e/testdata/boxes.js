// Compares the layout of a page before and after a change: `remember()` stores the box of each visible element, and
// `moved()` returns a line for each element whose box has changed since.
{
	const boxes = () => new Map(every("*", document.body).filter((el) => el.checkVisibility()).map((el) => {
		const { x, y, width, height } = el.getBoundingClientRect();
		return [el, `${x + scrollX} ${y + scrollY} ${width} ${height}`];
	}));
	let before;
	window.remember = () => (before = boxes()).size > 0;
	window.moved = () => {
		const now = boxes();
		const at = (map, el) => map.get(el) ?? "hidden";
		return [...new Set([...before.keys(), ...now.keys()])].filter((el) => at(before, el) !== at(now, el))
			.map((el) => `from ${at(before, el)} to ${at(now, el)}: <${el.localName} class="${el.getAttribute("class") ?? ""}">`);
	};
}

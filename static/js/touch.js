// @ts-check

const held = 450; // ms after which a press selects
const slip = 10; // px that a finger may move while it presses
const far = 72; // px after which a swipe acts

/**
 * Lets fingers select rows by a long press, archive one by a swipe to the left, and mark one as unread, or read, by a
 * swipe to the right. The menu of the row has the same actions.
 * @param {{press: typeof import("./keys.js").press, select: typeof import("./select.js").select, selecting: typeof import("./select.js").selecting, inSelection: typeof import("./select.js").inSelection}} page
 */
export function startTouch({ press, select, selecting, inSelection }) {
	/** @type {{row: HTMLElement, id: number, x: number, y: number, swipes: boolean, timer: ReturnType<typeof setTimeout>} | null} */
	let touch = null;
	let quiet = false; // the click at the end of a gesture is none

	document.addEventListener("pointerdown", (e) => {
		quiet = false;
		const row = e.target instanceof Element && e.pointerType === "touch" && e.isPrimary && !e.target.closest("button, .actions, .pick, .calls, .question") ? e.target.closest("#list .row") : null;
		if (!(row instanceof HTMLElement)) return;
		touch = { row, id: e.pointerId, x: e.clientX, y: e.clientY, swipes: false, timer: setTimeout(hold, held) };
	});
	document.addEventListener("pointermove", (e) => {
		if (!touch || e.pointerId !== touch.id) return;
		const [dx, dy] = [e.clientX - touch.x, e.clientY - touch.y];
		if (!touch.swipes && Math.hypot(dx, dy) <= slip) return;
		clearTimeout(touch.timer);
		if (!touch.swipes && (Math.abs(dy) > slip || inSelection())) return end();
		touch.swipes = true;
		touch.row.style.setProperty("--swipe", `${dx}px`);
		touch.row.dataset.label = named(touch.row, dx < 0 ? "archive" : touch.row.dataset.state === "unread" ? "/read" : "/unread");
		touch.row.dataset.swipe = `${dx < 0 ? "left" : "right"}${Math.abs(dx) >= far ? " far" : ""}`;
	});
	document.addEventListener("pointerup", (e) => {
		if (!touch || e.pointerId !== touch.id) return;
		const { row, swipes, x } = touch;
		end();
		if (!swipes) return;
		quiet = true;
		if (Math.abs(e.clientX - x) >= far) press(row, e.clientX < x ? () => "archive" : () => (row.dataset.state === "unread" ? "/read" : "/unread"));
	});
	document.addEventListener("pointercancel", end);
	document.addEventListener("contextmenu", (e) => {
		if (touch || quiet) e.preventDefault();
	});
	// Before the links of rows.
	addEventListener("click", (e) => {
		if (!e.isTrusted) return; // the gesture's own
		const row = e.target instanceof Element ? e.target.closest("#list .row") : null;
		const picks = row && inSelection() && matchMedia("(hover: none)").matches && !(e.target instanceof Element && e.target.closest("button, input"));
		if (!quiet && !picks) return;
		e.preventDefault();
		e.stopImmediatePropagation();
		if (picks && !quiet) select(row);
		quiet = false;
	}, true);

	function hold() {
		if (!touch) return;
		const { row } = touch;
		end();
		quiet = true;
		selecting(true);
		select(row);
	}

	function end() {
		if (!touch) return;
		clearTimeout(touch.timer);
		touch.row.style.removeProperty("--swipe");
		delete touch.row.dataset.swipe;
		touch = null;
	}
}

/** Returns the name of an action of a row. @param {HTMLElement} row @param {string} end of its address */
function named(row, end) {
	return row.querySelector(`form[action$="${end}"] button`)?.getAttribute("title") ?? "";
}

// @ts-check
import { htmx } from "./htmx.js";
import { our } from "./mount.js";
import { followRows, shownTab } from "./panelrows.js";
import { text } from "./texts.js";

const pace = 500; // ms between two updates of the button, however many notices arrive

/**
 * Makes the bell open a panel with the newest notices. Nothing in it moves
 * under the reader: notices that arrive while it is open are offered by a button,
 * and notices read or removed elsewhere change in place.
 * @param {EventTarget} stream
 * @param {(address: string) => Promise<Document | null>} [get] fetches the current content of the panel
 */
export function startPanel(stream, get) {
	const bell = document.getElementById("bell");
	const panel = document.getElementById("panel");
	if (!bell || !panel) return;
	let arrived = 0;
	/** @type {number | undefined} */ let timer;
	bell.setAttribute("role", "button");
	bell.setAttribute("aria-expanded", "false");
	bell.setAttribute("aria-controls", "panel");

	const load = async () => {
		const tab = shownTab(panel);
		arrived = 0;
		if (!panel.firstChild || panel.querySelector(".again")) panel.replaceChildren(waiting());
		await htmx()?.ajax("GET", tab, { target: panel, swap: "innerHTML" }).catch(() => {});
		if (panel.querySelector(".waiting")) panel.replaceChildren(failure());
	};
	/** @param {boolean} open */
	const show = (open) => {
		panel.hidden = !open;
		bell.setAttribute("aria-expanded", String(open));
		if (!open) return panel.replaceChildren();
		document.dispatchEvent(new Event("carillon:panel"));
		void load();
	};
	const offer = () => {
		timer = undefined;
		const button = document.getElementById("panel-arrivals");
		if (!button) return;
		button.hidden = arrived === 0;
		button.textContent = text("arrivals", { Count: arrived });
	};

	bell.addEventListener("click", (e) => {
		// For a new tab, or without htmx to fill the panel, the bell stays a link.
		if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || !htmx()) return;
		e.preventDefault();
		show(panel.hidden !== false);
	});
	bell.addEventListener("keydown", (e) => {
		if (e.key !== " ") return;
		e.preventDefault();
		bell.click();
	});
	const close = () => {
		show(false);
		bell.focus();
	};
	panel.addEventListener("click", async (e) => {
		const pressed = e.target instanceof Element ? e.target : null;
		if (pressed?.closest(".panel-close")) return close();
		if (!pressed?.closest("#panel-arrivals, .again")) return;
		if (pressed.closest(".again")) panel.focus(); // the button is removed with the content around it
		await load();
		panel.focus();
	});
	document.addEventListener("keydown", (e) => {
		if (e.key === "Escape" && !panel.hidden) close();
	});
	document.addEventListener("click", (e) => {
		const inside = e.composedPath().some((el) => el === panel || el === bell);
		if (!panel.hidden && !inside) show(false);
	});
	document.addEventListener("focusin", (e) => {
		const to = e.target instanceof Node ? e.target : null;
		if (!panel.hidden && !panel.contains(to) && !bell.contains(to)) show(false);
	});
	stream.addEventListener("notice", () => {
		if (panel.hidden) return;
		arrived++;
		timer ??= setTimeout(offer, pace);
	});
	followRows(stream, panel, load, get);
}

/** Builds the content of a panel that could not be loaded: Try again, and a link to the inbox. */
function failure() {
	const part = waiting(text("panel_failed"));
	const line = document.createElement("div");
	line.className = "bottom-line";
	const link = document.createElement("a");
	[link.className, link.href, link.textContent] = ["button small", our("/inbox"), text("toasts_open")];
	line.append(button("button small primary again", text("try_again")), link);
	part.append(line);
	return part;
}

/** Builds the content of a panel that has nothing to show yet. */
function waiting(words = text("loading")) {
	const part = document.createDocumentFragment();
	const close = button("panel-close", "✕");
	close.setAttribute("aria-label", text("close"));
	const p = document.createElement("p");
	[p.className, p.textContent] = ["waiting", words];
	part.append(p, close);
	return part;
}

/** @param {string} kind @param {string} words */
function button(kind, words) {
	const made = document.createElement("button");
	[made.type, made.className, made.textContent] = ["button", kind, words];
	return made;
}

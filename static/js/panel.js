// @ts-check
import { htmx } from "./htmx.js";
import { followRows } from "./panelrows.js";
import { text } from "./texts.js";

const pace = 500; // ms between two changes of the button, however many notices come

/**
 * Makes the bell open a panel with the newest notices. Nothing in it moves
 * under the reader: what comes while it is open is offered by a button, and
 * what was read or removed elsewhere changes in its place.
 * @param {EventTarget} stream
 * @param {() => Promise<Document | null>} [get] fetches what the panel is to show now
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
		arrived = 0;
		if (!panel.firstChild) panel.append(waiting());
		await htmx()?.ajax("GET", "/inbox/panel", { target: panel, swap: "innerHTML" }).catch(() => {});
		if (panel.querySelector(".waiting")) panel.replaceChildren(...failure());
	};
	/** @param {boolean} open */
	const show = (open) => {
		panel.hidden = !open;
		bell.setAttribute("aria-expanded", String(open));
		if (open) load();
		else panel.replaceChildren();
	};
	const offer = () => {
		timer = undefined;
		const button = document.getElementById("panel-arrivals");
		if (!button) return;
		button.hidden = arrived === 0;
		button.textContent = text("arrivals", { Count: arrived });
	};

	bell.addEventListener("click", (e) => {
		// A new tab, or nothing to fill the panel with: it is a link still.
		if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || !htmx()) return;
		e.preventDefault();
		show(panel.hidden !== false);
	});
	bell.addEventListener("keydown", (e) => {
		if (e.key !== " ") return;
		e.preventDefault();
		bell.click();
	});
	panel.addEventListener("click", async (e) => {
		if (!(e.target instanceof Element) || !e.target.closest("#panel-arrivals")) return;
		await load();
		panel.focus();
	});
	document.addEventListener("keydown", (e) => {
		if (e.key !== "Escape" || panel.hidden) return;
		show(false);
		bell.focus();
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
	followRows(stream, panel, get);
}

/** The panel could not be had. The inbox is a page of its own. */
function failure() {
	const p = document.createElement("p");
	p.className = "waiting";
	p.textContent = text("failed");
	const line = document.createElement("div");
	line.className = "bottom-line";
	const link = document.createElement("a");
	[link.className, link.href, link.textContent] = ["button small", "/inbox", text("bell_unknown")];
	line.append(link);
	return [p, line];
}

function waiting() {
	const p = document.createElement("p");
	p.className = "waiting";
	p.textContent = text("loading");
	return p;
}

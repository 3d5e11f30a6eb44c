// @ts-check
import { complain } from "./complain.js";

const size = 32; // px

/** The numbers of the elements that show a dot; one above 0 shows it. @type {Map<object, number>} */ const counts = new Map();
/** The icon of the page, with its own address. @type {{link: HTMLLinkElement, own: string | null, dotted: string} | undefined} */ let shown;
let run = 0; // an icon may load late

/**
 * Puts a dot on the icon of the page while something is unread, and the number on that of an installed application.
 * @param {object} element @param {number | null} count null: the element shows none any more
 */
export function dot(element, count) {
	if (count === null && !counts.has(element)) return;
	if (count === null) counts.delete(element);
	else counts.set(element, count);
	const most = Math.max(0, ...counts.values());
	navigator.setAppBadge?.(most)?.catch(() => {}); // 0 removes it; a browser may refuse
	run++;
	if (most === 0) restore();
	else if (!shown || shown.link.getAttribute("href") !== shown.dotted) void draw(run); // a router may have changed it
}

function restore() {
	if (!shown) return;
	const { link, own, dotted } = shown;
	shown = undefined;
	if (own === null) link.remove();
	else if (link.getAttribute("href") === dotted) link.setAttribute("href", own);
}

/** @param {number} mine */
async function draw(mine) {
	const there = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel~=icon]"));
	const own = there?.getAttribute("href") ?? null;
	try {
		const image = new Image(size, size);
		image.crossOrigin = "anonymous";
		image.src = there?.href || new URL("/favicon.ico", document.baseURI).href;
		await image.decode();
		const canvas = document.createElement("canvas");
		canvas.width = canvas.height = size;
		const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
		pen.drawImage(image, 0, 0, size, size);
		pen.fillStyle = "#d92d20";
		pen.strokeStyle = "#fff";
		pen.lineWidth = 2;
		pen.beginPath();
		pen.arc(size * 0.74, size * 0.26, size * 0.22, 0, 7);
		pen.fill();
		pen.stroke();
		const dotted = canvas.toDataURL();
		if (mine !== run) return;
		const link = there ?? Object.assign(document.createElement("link"), { rel: "icon" });
		link.setAttribute("href", dotted);
		if (!there) document.head.append(link);
		shown = { link, own, dotted };
	} catch {
		complain("favicon-badge needs an icon that the page may read, and img-src data: in its policy");
	}
}

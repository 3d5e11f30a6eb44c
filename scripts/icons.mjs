// Writes static/icons/sprite.svg: the icons of the pages, one symbol each, from lucide-static. Each is one path, so that
// the elements can draw it in pages of other origins.
// `npm run icons` runs it.
import { readFileSync, writeFileSync } from "node:fs";

const names = [
	// controls of the pages
	"archive", "arrow-up", "bell", "bell-off", "chevron-down", "ellipsis", "inbox", "info", "keyboard", "list-checks", "log-out", "mail", "mail-open", "menu", "pin", "search", "send", "settings",
	"trash-2", "triangle-alert", "user", "users", "x",
	// kinds of notices, see handlers/icon.go
	"at-sign", "calendar", "clock", "file-text", "heart", "megaphone", "message-circle", "package", "receipt", "server",
	"shield", "star", "truck", "user-plus",
];

/** Returns the path of an ellipse. */
const round = (x, y, rx, ry = rx) => `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`;

/** Returns the path of a rectangle whose corners have the radius r. */
const box = (x, y, w, h, r) => (r ? `M${x + r} ${y}h${w - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${h - 2 * r}a${r} ${r} 0 0 1 ${-r} ${r}h${2 * r - w}a${r} ${r} 0 0 1 ${-r} ${-r}v${2 * r - h}a${r} ${r} 0 0 1 ${r} ${-r}z` : `M${x} ${y}h${w}v${h}h${-w}z`);

/** Makes the start of a path absolute, because another one precedes it. */
const absolute = (d) => d.replace(/^m\s*(-?[\d.]+)[\s,]*(-?[\d.]+)\s*(?=([-.\d]?))/, (_, x, y, next) => `M${x} ${y}${next ? "l" : ""}`);

/** Returns the path of a shape, with its attributes. */
function pathOf(name, a) {
	const [x, y, cx, cy, r, rx, w, h] = [a.x ?? 0, a.y ?? 0, a.cx, a.cy, a.r, a.rx ?? a.ry ?? 0, a.width, a.height].map(Number);
	switch (name) {
		case "path": return absolute(a.d);
		case "circle": return round(cx, cy, r);
		case "ellipse": return round(cx, cy, rx, Number(a.ry));
		case "rect": return box(x, y, w, h, rx);
		case "line": return `M${a.x1} ${a.y1}L${a.x2} ${a.y2}`;
		case "polyline": return `M${a.points}`;
		case "polygon": return `M${a.points}z`;
		default: throw new Error(`no path for <${name}>`);
	}
}

const from = "node_modules/lucide-static/icons";
const symbols = names.map((name) => {
	const svg = readFileSync(`${from}/${name}.svg`, "utf8");
	const shapes = svg.slice(svg.indexOf(">", svg.indexOf("<svg")) + 1, svg.lastIndexOf("</svg>"));
	const paths = [...shapes.matchAll(/<(\w+)([^>]*)>/g)].map(([, shape, rest]) => pathOf(shape, Object.fromEntries([...rest.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]))));
	return `<symbol id="${name}" viewBox="0 0 24 24"><path d="${paths.join("")}" /></symbol>`;
});
writeFileSync("static/icons/sprite.svg", `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join("\n")}\n</svg>\n`);

// Writes static/icons/sprite.svg: the icons of the pages, one symbol each, from lucide-static.
// `npm run icons` runs it.
import { readFileSync, writeFileSync } from "node:fs";

const names = [
	// controls of the pages
	"archive", "arrow-up", "bell", "bell-off", "inbox", "info", "keyboard", "log-out", "mail", "mail-open", "menu", "pin", "search", "settings",
	"trash-2", "triangle-alert", "user", "x",
	// kinds of notices, see handlers/icon.go
	"calendar", "clock", "file-text", "heart", "megaphone", "message-circle", "package", "receipt", "server",
	"shield", "star", "truck", "user-plus",
];

const from = "node_modules/lucide-static/icons";
const symbols = names.map((name) => {
	const svg = readFileSync(`${from}/${name}.svg`, "utf8");
	const shapes = svg.slice(svg.indexOf(">", svg.indexOf("<svg")) + 1, svg.lastIndexOf("</svg>"));
	return `<symbol id="${name}" viewBox="0 0 24 24">${shapes.replace(/\s*\n\s*/g, "")}</symbol>`;
});
writeFileSync("static/icons/sprite.svg", `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join("\n")}\n</svg>\n`);

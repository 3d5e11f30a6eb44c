// @ts-check

/** @typedef {{name: string, label: string, kind: "color" | "length" | "font", from: string, most?: number}} Property */

/** @type {Property[]} */
const properties = [
	{ name: "accent", label: "Accent", kind: "color", from: "#1d5fbf" },
	{ name: "on-accent", label: "Text on accent", kind: "color", from: "#ffffff" },
	{ name: "surface", label: "Surface", kind: "color", from: "#ffffff" },
	{ name: "text", label: "Text", kind: "color", from: "#16202c" },
	{ name: "muted", label: "Muted text", kind: "color", from: "#55616f" },
	{ name: "border", label: "Border", kind: "color", from: "#d9dfe7" },
	{ name: "unread", label: "Unread dot", kind: "color", from: "#1d5fbf" },
	{ name: "radius", label: "Radius", kind: "length", from: "12", most: 32 },
	{ name: "gap", label: "Gap", kind: "length", from: "12", most: 32 },
	{ name: "width", label: "Width", kind: "length", from: "384", most: 640 },
	{ name: "height", label: "Height", kind: "length", from: "480", most: 800 },
	{ name: "font", label: "Font", kind: "font", from: "inherit" },
];

/** @type {Record<string, Record<string, string>>} */
const presets = {
	"The shop's": {},
	Indigo: { accent: "#5e6ad2", "on-accent": "#ffffff", unread: "#5e6ad2", radius: "8px", gap: "10px" },
	"Dark slate": { accent: "#7dd3fc", "on-accent": "#0b1220", surface: "#0f172a", text: "#e2e8f0", muted: "#94a3b8", border: "#1e293b", unread: "#38bdf8" },
	"Warm paper": { accent: "#8a5414", "on-accent": "#ffffff", surface: "#fffaf2", text: "#2b2118", muted: "#6b5c4a", border: "#eadfce", unread: "#b45309", radius: "4px", font: "Georgia, serif" },
};

/** @type {Record<string, string>} */ let chosen = {};

/** @template {Element} T @param {string} id @param {new () => T} kind */
function part(id, kind) {
	const found = document.getElementById(id);
	if (!(found instanceof kind)) throw new Error(`no #${id}`);
	return found;
}

const css = part("css", HTMLElement);
const list = part("events", HTMLOListElement);
const preset = part("preset", HTMLSelectElement);
const scheme = part("scheme", HTMLSelectElement);

function show() {
	const root = document.documentElement.style;
	for (const { name } of properties) root.removeProperty(`--carillon-${name}`);
	for (const [name, value] of Object.entries(chosen)) root.setProperty(`--carillon-${name}`, value);
	const lines = Object.entries(chosen).map(([name, value]) => `\t--carillon-${name}: ${value};`);
	css.textContent = lines.length ? `:root {\n${lines.join("\n")}\n}` : "/* Change something above. */";
}

/** @param {Property} of */
function control(of) {
	const row = document.createElement("p");
	row.className = "row";
	const label = document.createElement("label");
	label.textContent = of.label;
	label.htmlFor = of.name;
	const value = document.createElement("span");
	value.className = "value";
	const input = document.createElement(of.kind === "font" ? "select" : "input");
	input.id = of.name;
	if (input instanceof HTMLSelectElement) for (const font of ["inherit", "system-ui", "Georgia, serif", "ui-monospace, monospace"]) input.add(new Option(font, font));
	else if (of.kind === "length") [input.type, input.max] = ["range", String(of.most)];
	else input.type = "color";
	input.value = of.from;
	value.append(input);
	const said = document.createElement("output");
	said.htmlFor.add(of.name);
	if (of.kind === "length") value.append(said);
	input.addEventListener("input", () => {
		chosen[of.name] = of.kind === "length" ? `${input.value}px` : input.value;
		said.value = chosen[of.name] ?? "";
		show();
	});
	row.append(label, value);
	return row;
}

function fill() {
	for (const of of properties) {
		const input = /** @type {HTMLInputElement} */ (document.getElementById(of.name));
		input.value = (chosen[of.name] ?? of.from).replace(/px$/, "");
		const said = input.parentElement?.querySelector("output");
		if (said) said.value = chosen[of.name] ?? "";
	}
	show();
}

part("properties", HTMLElement).append(...properties.map(control));
for (const name of Object.keys(presets)) preset.add(new Option(name, name));
preset.addEventListener("change", () => {
	chosen = { ...presets[preset.value] };
	fill();
});
scheme.addEventListener("change", () => (document.documentElement.style.colorScheme = scheme.value));
part("reset", HTMLElement).addEventListener("click", () => {
	chosen = {};
	preset.selectedIndex = 0;
	fill();
});
part("copy", HTMLElement).addEventListener("click", () => navigator.clipboard.writeText(css.textContent ?? ""));
fill();

const most = 100; // lines of the log
for (const name of ["badge", "notice", "open", "close", "navigate", "toast", "state", "error"])
	document.addEventListener(`carillon-${name}`, (e) => {
		const line = document.createElement("li");
		const time = document.createElement("time");
		time.textContent = new Date().toLocaleTimeString();
		const what = document.createElement("b");
		what.textContent = e.type;
		const detail = JSON.stringify(/** @type {CustomEvent} */ (e).detail ?? {});
		line.append(time, " ", what, ` <${/** @type {Element} */ (e.target).localName}> ${detail === "{}" ? "" : detail}`);
		list.prepend(line);
		while (list.childElementCount > most) list.lastElementChild?.remove();
	});

for (const button of document.querySelectorAll("[data-send]"))
	button.addEventListener("click", async () => {
		if (!(button instanceof HTMLButtonElement)) return;
		button.disabled = true;
		await fetch("/embed/demo/send", { method: "POST", body: new URLSearchParams({ what: button.dataset.send ?? "" }) }).catch(() => {});
		button.disabled = false;
	});

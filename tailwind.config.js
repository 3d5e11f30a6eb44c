// The visual language of Carillon's pages as tokens: one accent (a warm bell
// bronze), neutral greys, and three colours that mean something. Each token is
// a pair, light and dark, and both themes are made of the same names. What is
// text on what has 4.5:1 at least, borders of fields and dots 3:1.
const plugin = require("tailwindcss/plugin");

/** Name → [light, dark]. */
const tokens = {
	page: ["#faf8f5", "#151311"],
	surface: ["#ffffff", "#1e1b18"],
	raised: ["#ffffff", "#272320"], // what floats
	hover: ["#f5f1ea", "#28241f"],
	ink: ["#1f1b16", "#f3eee7"],
	muted: ["#655d53", "#b3a99c"],
	line: ["#e8e2d9", "#38322b"],
	field: ["#8b8175", "#8d8375"],
	accent: ["#8a5414", "#e3b36f"],
	"accent-strong": ["#6d420e", "#efc88f"],
	"accent-soft": ["#f8eedd", "#3a2c18"],
	"on-accent": ["#ffffff", "#231603"],
	bad: ["#b3261e", "#f2a49b"],
	"bad-soft": ["#fcedeb", "#3c1d1a"],
	warn: ["#8a4b00", "#efc06b"],
	"warn-soft": ["#fdf1dc", "#392a10"],
	good: ["#256b36", "#93d3a0"],
	"good-soft": ["#e8f4ea", "#1a3020"],
	// The circle before a row; staff choose one for each type (notifier.TypeColors).
	"tint-amber": ["#f6e7cf", "#46341a"], "on-tint-amber": ["#75480e", "#f0cd97"],
	"tint-blue": ["#e0ebf5", "#1f3346"], "on-tint-blue": ["#23527a", "#a9cdec"],
	"tint-green": ["#e3efe2", "#22382a"], "on-tint-green": ["#2b5f38", "#a8d6b2"],
	"tint-red": ["#f5e1e3", "#45262a"], "on-tint-red": ["#86323e", "#efb5bc"],
	"tint-purple": ["#e9e4f4", "#322a47"], "on-tint-purple": ["#54418a", "#cdbff0"],
	"tint-teal": ["#dcedee", "#1b3739"], "on-tint-teal": ["#1d5a60", "#9ed3d8"],
	"tint-pink": ["#f7e0ee", "#44243a"], "on-tint-pink": ["#852a63", "#eeb3d6"],
	"tint-gray": ["#e9e6e1", "#33302c"], "on-tint-gray": ["#4f4a43", "#cfc8be"],
};

const each = (value) => Object.fromEntries(Object.entries(tokens).map(([name, pair]) => [name, value(name, pair)]));
const variables = (of) => Object.fromEntries(Object.entries(tokens).map(([name, pair]) => [`--${name}`, pair[of]]));

/** @type {import("tailwindcss").Config} */
module.exports = {
	variables,
	theme: {
		extend: {
			colors: each((name) => `var(--${name})`),
			borderRadius: { DEFAULT: "8px" },
			maxWidth: { column: "44rem" },
			// For Chinese and Japanese the browser chooses the font by the language of the page: a list of their fonts would show
			// all of them in the forms of the first.
			fontFamily: { sans: ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif"] },
		},
	},
	plugins: [
		// The theme is that of the system, unless the user has chosen one.
		plugin(({ addBase }) => {
			const dark = { "color-scheme": "dark", ...variables(1) };
			addBase({
				":root": { "color-scheme": "light", ...variables(0) },
				"@media (prefers-color-scheme: dark)": { ":root:not([data-theme=light])": dark },
				":root[data-theme=dark]": dark,
			});
		}),
	],
};

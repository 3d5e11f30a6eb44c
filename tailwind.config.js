// The tokens of Carillon's pages: one accent, neutral greys, and three colours
// that mean something. Both themes are made of them in static/css/app.src.css.

/** @type {import("tailwindcss").Config} */
module.exports = {
	theme: {
		extend: {
			colors: {
				bronze: {
					50: "#fbf6ee", 100: "#f5e8d3", 200: "#e9d0a8", 300: "#dfb97f", 400: "#cf974c",
					500: "#b87c33", 600: "#9a6420", 700: "#7c4e18", 800: "#5f3c14", 900: "#33271a",
				},
				page: "var(--page)",
				surface: "var(--surface)",
				ink: "var(--ink)",
				muted: "var(--muted)",
				line: "var(--line)",
				field: "var(--field)",
				accent: "var(--accent)",
				"accent-soft": "var(--accent-soft)",
				"on-accent": "var(--on-accent)",
				bad: "var(--bad)",
				"bad-soft": "var(--bad-soft)",
				warn: "var(--warn)",
				"warn-soft": "var(--warn-soft)",
				good: "var(--good)",
			},
			borderRadius: { DEFAULT: "8px" },
			maxWidth: { column: "44rem" },
			fontFamily: {
				sans: [
					"system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "Hiragino Sans", "Noto Sans CJK JP",
					"Yu Gothic", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "sans-serif",
				],
			},
		},
	},
};

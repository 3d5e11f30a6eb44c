// Builds the scripts of Carillon's own pages. `npm run js` runs it. esbuild bundles, and terser makes the scripts
// smaller than esbuild alone does.
import { writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { minify } from "terser";

const { outputFiles } = await build({
	entryPoints: ["static/js/app.js", "static/js/board.js"],
	outdir: "static/built",
	bundle: true,
	splitting: true,
	format: "esm",
	target: "es2022",
	minify: true,
	legalComments: "none",
	charset: "utf8",
	chunkNames: "[name]",
	write: false,
});
for (const { path, text } of outputFiles) {
	const { code } = await minify(text, { module: true, ecma: 2020, compress: { passes: 3, keep_fargs: false, hoist_funs: true, sequences: false, pure_getters: true, unsafe_arrows: true, unsafe_methods: true } });
	await writeFile(path, code);
}

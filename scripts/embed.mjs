// Builds what static/embed holds: the two scripts for pages of host applications, and the package. `npm run js` runs it.
// esbuild bundles, and terser makes the scripts 3 % smaller than esbuild alone does.
import { readFile, writeFile } from "node:fs/promises";
import { build, transform } from "esbuild";
import { minify } from "terser";

/** Inserts a style sheet as its minified text. */
const css = {
	name: "css",
	setup(build) {
		build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
			const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
			return { contents: code.trim(), loader: "text" };
		});
	},
};

// Members of our classes that only our modules use: no browser, answer of the server, event or page has a member with such a name. Their
// names are shortened.
const inner = /^(acts|again|anew|atEnd|become|count|failed|fault|flag|fresh|gone|leave|lost|moved|nodes|page|provide|readAll|settle)$/;

const from = "static/embed";
const to = "static/built/embed";
const shared = { bundle: true, format: "esm", target: "es2022", legalComments: "none", charset: "utf8", plugins: [css] };

const { outputFiles } = await build({ ...shared, entryPoints: [`${from}/v1.js`, `${from}/core.js`], outdir: to, minify: true, mangleProps: inner, write: false });
for (const { path, text } of outputFiles) {
	const { code } = await minify(text, { module: true, ecma: 2020, compress: { passes: 3, keep_fargs: false, hoist_funs: true, sequences: false } });
	await writeFile(path, code);
}

await build({
	...shared,
	entryPoints: ["index.js", "react.js", "vue.js"].map((file) => `${from}/package/${file}`).concat(`${from}/core.js`),
	splitting: true,
	external: ["react", "vue"],
	define: { "import.meta.url": '"__CARILLON_SERVER__"' }, // the server that the package was installed from
	entryNames: "[name]",
	chunkNames: "chunk",
	outdir: `${to}/package`,
});

// Builds what static/embed holds: the scripts for pages of host applications, and the package. `npm run js` runs it.
// esbuild bundles, and terser makes the scripts 3 % smaller than esbuild alone does.
import { readFile, rm, writeFile } from "node:fs/promises";
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

/** Leaves the module that is loaded later alone. The server inserts its name, which contains the hash of its content. */
const later = {
	name: "later",
	setup(build) {
		build.onResolve({ filter: /^\.\/more\.js$/ }, ({ kind }) => (kind === "dynamic-import" ? { path: "./__CARILLON_MORE__.js", external: true } : undefined));
	},
};

// Members of our classes that only our modules use: no browser, answer of the server, event or page has a member with such a name. Their
// names are shortened. None is used by a computed name.
const inner = /^(acts|after|again|anew|atEnd|become|button|count|did|emit|failed|fault|flag|follow|fresh|gone|leads|leave|list|lost|moved|nodes|offline|page|provide|readAll|rows|said|settle|start|stop|tokens|try|update|watch)$/;

const from = "static/embed";
const to = "static/built/embed";
const shared = { bundle: true, format: "esm", target: "es2022", legalComments: "none", charset: "utf8", plugins: [css] };

const core = await script("core.js", {}); // the smallest gets the shortest names
const { mangleCache } = await script("v1.js", core.mangleCache);
await script("more.js", mangleCache); // it uses members of what v1.js gives it

/** @param {string} name @param {Record<string, string | false>} mangleCache the short names of members so far */
async function script(name, mangleCache) {
	const built = await build({ ...shared, plugins: [css, later], entryPoints: [`${from}/${name}`], outdir: to, minify: true, mangleProps: inner, mangleCache, write: false });
	const [{ path, text }] = built.outputFiles;
	const { code } = await minify(text, { module: true, ecma: 2020, compress: { passes: 3, keep_fargs: false, hoist_funs: true, sequences: false, pure_getters: true, unsafe_arrows: true, unsafe_methods: true } });
	await writeFile(path, code);
	return built;
}

await rm(`${to}/package`, { recursive: true, force: true }); // the names of chunks change with their content
await build({
	...shared,
	entryPoints: ["index.js", "react.js", "vue.js"].map((file) => `${from}/package/${file}`).concat(`${from}/core.js`),
	splitting: true,
	external: ["react", "vue"],
	define: { "import.meta.url": '"__CARILLON_SERVER__"' }, // the server that the package was installed from
	entryNames: "[name]",
	chunkNames: "[name]-[hash]",
	outdir: `${to}/package`,
});

// A style sheet, which scripts/embed.mjs inserts as its text.
declare module "*.css" {
	const text: string;
	export default text;
}

// The texts that the server inserts, those that the first drawing needs and those of more.js: the first row has the languages,
// the others an id and its text in each of them.
declare const __CARILLON_TEXTS__: [string[], ...string[][]];
declare const __CARILLON_MORE_TEXTS__: typeof __CARILLON_TEXTS__;

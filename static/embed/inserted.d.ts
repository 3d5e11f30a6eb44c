// A style sheet, which scripts/embed.mjs inserts as its text.
declare module "*.css" {
	const text: string;
	export default text;
}

// The texts by language, and their ids, which the server inserts: those that the first drawing needs, and those of more.js.
declare const __CARILLON_TEXTS__: Record<string, (string | Record<string, string>)[]>;
declare const __CARILLON_MORE_TEXTS__: typeof __CARILLON_TEXTS__;

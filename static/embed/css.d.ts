// A style sheet, which scripts/embed.mjs inserts as its text.
declare module "*.css" {
	const text: string;
	export default text;
}

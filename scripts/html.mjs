// Validates the pages that the browser tests have saved as they were served.
import { readFileSync, readdirSync } from "node:fs";
import { HtmlValidate, StaticConfigLoader, formatterFactory } from "html-validate";

const dirs = ["pages", "administration", "topics", "away"].map((name) => `e2e/screenshots/${name}/html/`);
const validator = new HtmlValidate(new StaticConfigLoader({
	root: true,
	extends: ["html-validate:recommended"],
	rules: {
		"doctype-style": "off", // templ writes it in lower case
		"no-implicit-input-type": "off", // text is the default
		"prefer-native-element": ["error", { exclude: ["listbox"] }], // the list of suggested names is not a form field
		"form-dup-name": "off", // the values of a list share a name, hidden ones too
		"wcag/h32": "off", // a hidden form holds the controls of the preview, which are never sent
		"no-redundant-role": "off", // a table whose cells are shown as a card loses its roles
		"no-trailing-whitespace": "off", // html/template leaves it
		"meta-refresh": "off", // without script, the page of a notice on its way reloads
	},
}));
const pages = dirs.flatMap((dir) => {
	const saved = readdirSync(dir).filter((name) => name.endsWith(".html"));
	if (saved.length === 0) throw new Error(`${dir} has no pages: run the tests in e2e/ first`);
	return saved.map((name) => dir + name);
});
const results = pages.map((page) => validator.validateStringSync(readFileSync(page, "utf8"), page)).flatMap((r) => r.results);
const text = formatterFactory("text")(results);
if (text) {
	console.error(text);
	process.exitCode = 1;
}

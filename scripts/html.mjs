// Validates the pages that the browser tests have saved as they were served. Without saved
// pages it says so and passes.
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
		"form-dup-name": ["error", { shared: ["radio", "checkbox", "hidden", "submit", "button", "reset"] }], // several may be checked, and hidden ones are lists
		"meta-refresh": "off", // without script, the page of a notice on its way reloads
	},
}));
const pages = dirs.flatMap((dir) => {
	try {
		return readdirSync(dir).filter((name) => name.endsWith(".html")).map((name) => dir + name);
	} catch {
		return []; // no test has run yet
	}
});
if (pages.length === 0) console.error(`html: no pages in ${dirs.join(", ")}; the tests in e2e/ save them`);
const results = pages.map((page) => validator.validateStringSync(readFileSync(page, "utf8"), page)).flatMap((r) => r.results);
const text = formatterFactory("text")(results);
if (text) {
	console.error(text);
	process.exitCode = 1;
}

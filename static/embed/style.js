// @ts-check
import css from "./style.css";

/** @type {CSSStyleSheet | undefined} */ let sheet;

/** Returns the style sheet that all elements share. It is not an inline style, so a strict policy allows it. */
export function style() {
	if (!sheet) {
		sheet = new CSSStyleSheet();
		dress("");
	}
	return sheet;
}

/** Adds the rules of a module that was loaded later. @param {string} more */
export const dress = (more) => style().replaceSync(css + more);

// @ts-check
import { complain } from "./complain.js";
import { dress } from "./style.js";
import { learn } from "./texts.js";

/** @typedef {typeof import("./more.js")} More */

/** @type {Promise<void> | undefined} */ let asked;
/** @type {More | undefined} */ let here;

/** Whether it is there, or could not be loaded. */
export let tried = false;

/** Loads what no first drawing needs. Without it, the number, rows and links work, and opening the inbox reads it. */
export const lazy = () =>
	(asked ??= import("./more.js").then(
		(more) => {
			tried = true;
			learn(more.texts);
			dress(more.css);
			here = more;
		},
		(err) => {
			asked = undefined;
			tried = true;
			complain(`no actions, toasts and preferences: ${err}`);
		},
	));

/** Uses it now, or once it is there. @param {(more: More) => unknown} use */
export const later = (use) => void (here ? use(here) : lazy().then(() => loaded(use)));

/** Uses it only if it is there. @param {(more: More) => unknown} use */
export const loaded = (use) => here && use(here);

// @ts-check
import { ours } from "./base.js";

/** @type {Set<string>} */ const known = new Set();

/** Writes a fault for developers to the console, once. @param {string} text */
export function complain(text) {
	if (known.has(text)) return;
	known.add(text);
	console.error(`Carillon: ${text}`);
}

/**
 * Finds out why calls to a server of another origin fail without a response, because browsers hide the reason. It
 * writes it to the console, and reports whether the server rejects the pages of this origin.
 * @param {string} server
 */
export async function refused(server) {
	const answers = (/** @type {string} */ path, /** @type {RequestInit} */ how) => fetch(server + path, how).then(() => true, () => false);
	// A call that is like the failed one has a response now if only the connection was lost. Every page may load the scripts.
	if (ours(server) || !navigator.onLine || (await answers("api/v1/me", { headers: { "If-None-Match": "-" } }))) return false;
	const there = await answers("embed/core.js", { method: "HEAD", cache: "no-store" });
	complain(there ? cure(server) : `no answer from ${server}`);
	return there;
}

/** Returns the setting that allows pages of this origin. @param {string} server */
export const cure = (server) =>
	self.origin === "null"
		? "the sandbox of this frame needs allow-same-origin"
		: `${server} refuses pages of ${self.origin}: carillon app set NAME --origin ${self.origin}`;

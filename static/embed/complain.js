// @ts-check
import { ours } from "./base.js";
import { fresh } from "./fresh.js";

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
	const ask = (/** @type {string} */ path, /** @type {RequestInit} */ how) => fetch(fresh(server + path), how).catch(() => null);
	// A call like the failed one gets a response if only the connection was lost. Every page may load the scripts.
	if (ours(server) || !navigator.onLine || (await ask("api/v1/me", { headers: { "Content-Type": "application/json" } }))) return false;
	const there = (await ask("embed/core.js", { method: "HEAD", cache: "no-store" }))?.ok;
	complain(there ? cure(server) : `no answer from ${server}`);
	return there;
}

/** Returns the setting that allows pages of this origin. @param {string} server */
export const cure = (server) =>
	self.origin === "null"
		? "the sandbox of this frame needs allow-same-origin"
		: `${server} refuses pages of ${self.origin}: carillon app set NAME --origin ${self.origin}`;

// @ts-check
import { our } from "./mount.js";

/**
 * Returns the names that the server suggests for what is typed.
 * @param {string} part
 * @param {string} target
 * @param {AbortSignal} signal
 * @param {string} [of] the only kind of recipients to suggest
 * @returns {Promise<import("./complete.js").Offer[]>}
 */
export async function askServer(part, target, signal, of = "") {
	const answer = await fetch(our(`/staff/names?${new URLSearchParams({ q: part, target, of })}`), { signal });
	if (!answer.ok || answer.redirected) return [];
	return (await answer.json()).names;
}

// @ts-check
import { our } from "./mount.js";

/**
 * Returns the names that the server suggests for what is typed.
 * @type {import("./complete.js").Ask}
 */
export async function askServer(part, target, signal) {
	const answer = await fetch(our(`/staff/names?${new URLSearchParams({ q: part, target })}`), { signal });
	if (!answer.ok || answer.redirected) return [];
	return (await answer.json()).names;
}

// @ts-check
import { complain, cure, refused } from "./complain.js";
import { fresh } from "./fresh.js";
import { headersOf } from "./tokens.js";

/**
 * Returns a function that makes the calls of a user. It replaces a rejected token once.
 * @param {string} server
 * @param {import("./tokens.js").Tokens} tokens
 * @param {AbortSignal} signal
 * @returns {(method: string, path: string, body?: object) => Promise<any>}
 */
export function calls(server, tokens, signal) {
	const patience = 30_000; // ms
	return async (method, path, body) => {
		for (let again = false; ; again = true) {
			signal.throwIfAborted(); // request no token for a user who has left
			const headers = headersOf(await tokens.get(again));
			if (body) headers["Content-Type"] = "application/json";
			const address = `${server}api/v1/me${path && "/"}${path}`;
			const res = await fetch(method === "GET" ? fresh(address) : address, { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) })
				.catch(async (err) => { throw Object.assign(err, (await refused(server)) && { code: "origin_refused" }); });
			if (res.ok) return res.status === 204 ? undefined : res.json();
			if (res.status === 401 && !again) continue;
			const problem = await res.json().catch(() => ({}));
			if (problem.code === "origin_refused") complain(cure(server));
			throw Object.assign(new Error(problem.detail ?? `status ${res.status}`), { code: problem.code ?? String(res.status) });
		}
	};
}

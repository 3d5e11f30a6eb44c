// @ts-check
import { headersOf } from "./tokens.js";

/**
 * Returns how to make the calls of a user. A refused token is asked for once more.
 * @param {string} server
 * @param {import("./tokens.js").Tokens} tokens
 * @param {AbortSignal} signal
 * @returns {(method: string, path: string, body?: object) => Promise<any>}
 */
export function calls(server, tokens, signal) {
	return async (method, path, body) => {
		for (let again = false; ; again = true) {
			const headers = headersOf(await tokens.get(again));
			if (body) headers["Content-Type"] = "application/json";
			const res = await fetch(`${server}api/v1/me${path && "/"}${path}`, { method, headers, body: body && JSON.stringify(body), signal });
			if (res.ok) return res.status === 204 ? undefined : res.json();
			if (res.status === 401 && !again) continue;
			const problem = await res.json().catch(() => ({}));
			throw Object.assign(new Error(problem.detail ?? `status ${res.status}`), { code: problem.code ?? String(res.status) });
		}
	};
}

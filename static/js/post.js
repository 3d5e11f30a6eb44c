// @ts-check

/**
 * Tells the server something that this page does not wait for, also when the page
 * goes meanwhile. What does not arrive is not repeated.
 * @param {string} path
 * @param {Record<string, string>} fields
 */
export function post(path, fields) {
	const body = new URLSearchParams(fields);
	body.set("page_user", document.body.dataset.user ?? ""); // somebody else may have signed in since
	fetch(path, { method: "POST", body, keepalive: true, redirect: "manual" }).catch(() => {});
}

// @ts-check

/**
 * Sends the server something that this page does not wait for, even if the page is
 * closed. A failed request is not repeated.
 * @param {string} path
 * @param {Record<string, string>} fields
 */
export function post(path, fields) {
	const body = new URLSearchParams(fields);
	body.set("page_user", document.body.dataset.user ?? ""); // another user may have signed in since
	fetch(path, { method: "POST", body, keepalive: true, redirect: "manual" }).catch(() => {});
}

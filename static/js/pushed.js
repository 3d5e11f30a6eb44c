// @ts-check
// Few browsers need this module. It imports no other module, which would have to be served as a separate file.

/**
 * Closes the system's notifications about notices that have been read, in whichever
 * browser.
 * @param {EventTarget} stream
 * @param {typeof import("./badge.js").followBadge} followBadge
 * @param {string} scope of the service worker
 */
export function startPushed(stream, followBadge, scope) {
	const { serviceWorker } = navigator;
	if (!serviceWorker) return;
	/** @param {(tag: string) => boolean} read */
	const close = async (read) => {
		const known = await serviceWorker.getRegistration(scope);
		for (const shown of (await known?.getNotifications()) ?? []) if (read(shown.tag)) shown.close();
	};
	followBadge(stream, ({ unread }) => {
		if (unread === 0) close(() => true);
	});
	for (const name of ["read", "removed"]) {
		stream.addEventListener(name, async (e) => {
			const { key, keys = [key ?? ""] } = /** @type {CustomEvent<{key?: string, keys?: string[]}>} */ (e).detail;
			const tags = await Promise.all(keys.map(tagOf));
			close((tag) => tags.includes(tag));
		});
	}
}

/** Returns the tag of the notifications about a key; see notifier/push. @param {string} key */
async function tagOf(key) {
	const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
	return btoa(String.fromCharCode(...sum.subarray(0, 24))).replaceAll("+", "-").replaceAll("/", "_");
}

// @ts-check

/**
 * Opens the link of a clicked notification if the worker chooses this page. Every page listens, including pages
 * opened before push was turned on, and the sign-in page: a click allows the worker to focus a page or to open a
 * window, but not both.
 */
export function startClicked() {
	navigator.serviceWorker?.addEventListener("message", ({ data, ports: [answer] }) => {
		if (!data?.navigate) return;
		answer?.postMessage(true);
		location.assign(data.navigate);
	});
}

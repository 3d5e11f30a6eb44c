// @ts-check

/**
 * Goes where a clicked notification leads, if the worker chooses this page. Every page listens, also one that was
 * opened before push was turned on, or that asks to sign in: a click lets the worker focus a page or open a window,
 * and not both.
 */
export function startClicked() {
	navigator.serviceWorker?.addEventListener("message", ({ data, ports: [answer] }) => {
		if (!data?.navigate) return;
		answer?.postMessage(true);
		location.assign(data.navigate);
	});
}

// @ts-check
import { isVisible } from "./follow.js";

/** @typedef {import("./core.js").Client} Client */

const glance = 1_000; // ms for which a page is visible before it counts as seen

/** The watched clients, with their elements. @type {Map<Client, {elements: Set<object>, stop: () => void}>} */ const watches = new Map();

/** Reports to a client what the page shows, by its meta element carillon-subject, while the client has an element. @param {import("./element.js").CarillonElement} el @param {Client} client */
export function watchSubject(el, client) {
	const watch = watches.get(client) ?? { elements: new Set(), stop: watched(client) };
	watches.set(client, watch);
	watch.elements.add(el);
	el.atEnd(() => {
		if (!watch.elements.delete(el) || watch.elements.size > 0) return;
		watches.delete(client);
		watch.stop();
	});
}

/** Returns a function that ends it. @param {Client} client */
function watched(client) {
	/** @type {ReturnType<typeof setTimeout> | undefined} */ let due;
	let [aim, seen, user, state] = ["", "", /** @type {string | null} */ (null), ""]; // aim is reported when it is due
	const look = () => {
		const subject = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=carillon-subject]"))?.content ?? "";
		const next = user !== null && (isVisible() || subject === seen) ? subject : "";
		if (next !== aim) turn(next);
	};
	const turn = (/** @type {string} */ next) => {
		aim = next;
		clearTimeout(due);
		if (seen) void client.seen((seen = ""));
		if (aim) due = setTimeout(() => client.seen((seen = aim)).catch(() => (aim = seen = "")), glance);
	};
	const observer = new MutationObserver(look);
	observer.observe(document.head, { childList: true, subtree: true, attributes: true });
	document.addEventListener("visibilitychange", look);
	// A call that failed is repeated once the connection has changed.
	const unsubscribe = client.subscribe((now) => {
		if (now.user !== user) turn("");
		if (now.user !== user || now.state !== state) [user, state] = [now.user, now.state], look();
	});
	return () => {
		turn("");
		unsubscribe();
		observer.disconnect();
		document.removeEventListener("visibilitychange", look);
	};
}

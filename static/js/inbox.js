// @ts-check
import { text } from "./texts.js";

/**
 * Keeps an open inbox true: what arrives is offered by a button, so that
 * nothing moves under the reader; what was read or removed elsewhere changes
 * in its place.
 * @param {import("./stream.js").Stream} stream
 */
export function startInbox(stream) {
	const arrivals = document.getElementById("arrivals");
	if (!arrivals) return;
	/** @type {Set<string>} */ const arrived = new Set();

	/** @param {string} name @param {(data: any) => void} handle */
	const on = (name, handle) => stream.addEventListener(name, (e) => handle(/** @type {CustomEvent} */ (e).detail));
	const count = () => {
		arrivals.hidden = arrived.size === 0;
		arrivals.textContent = text("arrivals", { Count: arrived.size });
	};

	on("notice", ({ key }) => {
		arrived.add(key);
		count();
	});
	on("removed", ({ key }) => {
		arrived.delete(key);
		count();
		row(key)?.remove();
	});
	on("read", ({ keys, upto }) => {
		for (const entry of rows()) {
			const concerned = keys ? keys.includes(entry.dataset.key) : Number(entry.dataset.at) <= Number(upto);
			if (concerned && entry.dataset.state === "unread") markRead(entry);
		}
	});
}

/** @returns {HTMLElement[]} */
function rows() {
	return [...document.querySelectorAll("[data-testid=entry]")].map((e) => /** @type {HTMLElement} */ (e));
}

/** @param {string} key */
function row(key) {
	return rows().find((entry) => entry.dataset.key === key);
}

/** @param {HTMLElement} entry */
function markRead(entry) {
	entry.dataset.read = "1";
	entry.dataset.state = "read";
	entry.querySelector(".mark")?.remove();
}

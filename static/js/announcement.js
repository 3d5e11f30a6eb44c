// @ts-check
import { report } from "./done.js";
import { our } from "./mount.js";
import { text } from "./texts.js";

/**
 * Notifies the reader of a single announcement when it ends or is edited. The text
 * on the page stays as it is.
 * @param {EventTarget} stream
 * @returns {import("./postwatch.js").Part}
 */
export function startAnnouncement(stream) {
	let over = false;

	const id = () => document.getElementById("announcement")?.dataset.id;
	const end = () => {
		if (!over) report(text("announcement_over"), { href: our("/announcements"), text: text("announcements_all") });
		over = true;
	};
	/** @param {string} name @param {(detail: any) => void} handle */
	const on = (name, handle) =>
		stream.addEventListener(name, (e) => {
			const { detail } = /** @type {CustomEvent} */ (e);
			if (String(detail.id) === id()) handle(detail);
		});

	on("announcement_removed", end);
	on("announcement", () => {
		// An announcement that had ended was reopened, or an open one was edited.
		over = false;
		report(text("announcement_changed"), { href: our(`/announcements/${id()}`), text: text("announcement_show") });
	});

	return {
		here: () => id() !== undefined && !over,
		mend: (open) => {
			if (!open.has(id() ?? "")) end();
		},
	};
}

// @ts-check
import { htmx } from "./htmx.js";
import { our } from "./mount.js";
import { post } from "./post.js";
import { markRead } from "./rows.js";

/**
 * Marks notices as read without loading a page. Unfolding an unread notice marks it as read. And an inbox that the
 * server rendered without opening it, because another site linked here or the browser loaded the page in advance, is
 * opened once the page is visible.
 */
export function startReading() {
	document.addEventListener("toggle", ({ target }) => {
		const row = target instanceof HTMLDetailsElement && target.open && target.matches(".fold") ? target.closest(".row") : null;
		if (!(row instanceof HTMLElement) || row.dataset.state !== "unread" || !row.dataset.key) return;
		post(our("/inbox/read"), { key: row.dataset.key });
		markRead(row);
	}, true);
	document.addEventListener("visibilitychange", open);
	open();
}

function open() {
	const target = document.querySelector("#inbox[data-unopened]");
	if (document.visibilityState !== "visible" || !target) return;
	target.removeAttribute("data-unopened"); // once
	htmx()?.ajax("GET", our("/inbox"), { target, select: "#inbox", swap: "outerHTML show:none" }).catch(() => {});
}

// @ts-check
import { say } from "./announcer.js";

/** Shows the buttons that copy a text. A page over plain http has no clipboard, so they stay hidden there. */
export function startCopy() {
	if (!navigator.clipboard) return;
	for (const button of document.querySelectorAll("button[data-copy]")) {
		if (!(button instanceof HTMLButtonElement) || !button.hidden) continue;
		button.hidden = false;
		button.addEventListener("click", async () => {
			await navigator.clipboard.writeText(document.getElementById(button.dataset.copy ?? "")?.textContent ?? "");
			button.textContent = button.dataset.copied ?? "";
			say(button.textContent);
		});
	}
}

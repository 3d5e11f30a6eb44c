// @ts-check

const pause = 1000; // ms between two looks

/** Follows a notice that is still on its way, until it has arrived. */
export function startProgress() {
	const shown = document.getElementById("progress");
	if (shown?.dataset.finished === "false") setTimeout(() => look(shown, pause), pause);
}

/**
 * @param {HTMLElement} shown
 * @param {number} wait
 */
async function look(shown, wait) {
	try {
		const answer = await fetch(location.href);
		if (answer.redirected) return; // signed out meanwhile
		const page = new DOMParser().parseFromString(await answer.text(), "text/html");
		const fresh = page.getElementById("progress");
		if (!fresh) throw new Error(`status ${answer.status}`);
		shown.replaceChildren(...fresh.childNodes);
		shown.dataset.finished = fresh.dataset.finished;
		if (fresh.dataset.finished === "true") return;
		wait = pause;
	} catch {
		wait = Math.min(wait * 2, 30_000);
	}
	setTimeout(() => look(shown, wait), wait);
}

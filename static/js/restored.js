// @ts-check

/**
 * A page that comes back out of the browser's history is as it was left, also
 * when its user has signed out since. It shows nothing until that is known.
 * @param {string} user
 */
export function startRestored(user) {
	addEventListener("pageshow", async (e) => {
		const main = document.getElementById("main");
		// A form that is being written shows nobody's notices, and must not be lost.
		if (!e.persisted || !main || document.getElementById("send")) return;
		main.style.visibility = "hidden";
		if (await ended(user)) location.reload();
		else main.style.visibility = "";
	});
}

/** @param {string} user */
async function ended(user) {
	try {
		const answer = await fetch(`/events?user=${encodeURIComponent(user)}`, { method: "HEAD" });
		return answer.status === 401;
	} catch {
		return false; // without a network nobody can tell; the page says that it is offline
	}
}

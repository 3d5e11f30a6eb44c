// @ts-check
// The entry module of the board of a role, which a screen shows without a session, for months and unattended.

const every = 2000; // ms between two looks
const patience = 10_000; // ms for an answer

/** @param {Document} page */
const styles = (page) => [...page.querySelectorAll("link[rel=stylesheet]")].map((link) => link.getAttribute("href")).join();

/**
 * Shows or hides an element of the page.
 * @param {string} id
 * @param {boolean} on
 */
function show(id, on) {
	const element = document.getElementById(id);
	if (element && element.hidden === on) element.hidden = !on;
}

let tag = ""; // of what is shown

/** Loads the page again and shows what is new. Returns false once the link is no longer valid. */
async function look() {
	const res = await fetch(location.href, {
		cache: "no-store", referrerPolicy: "no-referrer", headers: tag ? { "If-None-Match": tag } : {}, signal: AbortSignal.timeout(patience),
	});
	if (res.status === 404) return false;
	if (res.status === 304) return true;
	if (!res.ok) throw new Error(`status ${res.status}`);
	const page = new DOMParser().parseFromString(await res.text(), "text/html");
	const next = page.getElementById("board");
	if (!next) throw new Error("not a board"); // a proxy answers
	if (styles(page) !== styles(document)) location.reload(); // Carillon has been updated
	document.title = page.title;
	document.getElementById("board")?.replaceWith(next);
	tag = res.headers.get("ETag") ?? "";
	return true;
}

async function watch() {
	try {
		if (!await look()) {
			show("board-lost", false);
			document.getElementById("board")?.replaceChildren();
			show("board-gone", true);
			return;
		}
		show("board-lost", false);
	} catch {
		show("board-lost", true);
	}
	setTimeout(watch, every);
}

setTimeout(watch, every);

// @ts-check
import { clock } from "./clock.js";
import { our } from "./mount.js";
import { text } from "./texts.js";

const grace = 1500; // ms: a quick reconnect is not shown

/** @typedef {"live" | "reconnecting" | "offline" | "signed-out"} State */

/**
 * Shows the state of the connection unless it is live, with the time until which
 * the page was up to date.
 * @param {EventTarget} stream
 * @param {import("./clock.js").Clock} [time]
 */
export function startConnection(stream, time = clock) {
	/** @type {(() => void) | undefined} */ let callOff;
	let right = time.date(); // the page was up to date until then
	/** @type {State} */ let state = "live"; // until an event changes it

	stream.addEventListener("state", (e) => {
		const before = state;
		state = /** @type {CustomEvent<State>} */ (e).detail;
		const shown = document.getElementById("connection");
		if (!shown) return;
		if (before === "live" && state !== "live") right = time.date();
		if (state === "live" || state === "signed-out") {
			callOff?.();
			callOff = undefined;
		}
		if (state === "signed-out") shown.replaceChildren(text("signed_out"), " ", signIn());
		else if (state === "offline") shown.textContent = text("offline", { Time: clockTime(right) });
		else if (state === "reconnecting") shown.textContent = text("reconnecting");
		if (state === "live") shown.hidden = true;
		else if (state === "signed-out") shown.hidden = false;
		else callOff ??= time.after(grace, () => (shown.hidden = false));
	});
}

function signIn() {
	const link = document.createElement("a");
	link.href = our(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
	link.textContent = text("sign_in");
	return link;
}

/**
 * Formats a time as the pages do: 15:04.
 * @param {Date} date
 */
function clockTime(date) {
	const lang = document.documentElement.lang || "en";
	return new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(date);
}

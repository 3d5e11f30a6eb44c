// @ts-check
import { our } from "./mount.js";

/** Offers to notify the user on this device, or shows why this is not possible. */
export function startDevices() {
	const box = document.getElementById("devices");
	const button = document.getElementById("device-add");
	const note = document.getElementById("device-note");
	if (!box || !(button instanceof HTMLButtonElement) || !note) return;
	/** @param {string} why the name of a text */
	const explain = (why) => {
		note.textContent = box.dataset[why] ?? "";
	};
	const why = hindrance();
	button.hidden = why !== "";
	explain(why);
	button.addEventListener("click", async () => {
		button.disabled = true;
		explain("");
		try {
			if ((await Notification.requestPermission()) !== "granted") return explain("blocked");
			const { vapidKey = "" } = box.dataset;
			const { enlist, subscribe } = await import("./subscription.js");
			const answer = await enlist(await subscribe(vapidKey), vapidKey);
			if (!answer.ok) return explain(answer.status === 422 ? "unknown" : "failed");
			location.assign(our("/settings?done=device-added"));
		} catch {
			explain("failed");
		} finally {
			button.disabled = false;
		}
	});
}

/** Returns the name of the text with the reason why this browser cannot receive pushes; empty: it can. */
function hindrance() {
	if (!isSecureContext) return "insecure";
	if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) return Notification.permission === "denied" ? "blocked" : "";
	// On an iPhone only an application on the home screen has push.
	return /iPhone|iPad/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1) ? "install" : "unable";
}

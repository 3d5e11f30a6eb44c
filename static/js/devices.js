// @ts-check
import { our } from "./mount.js";

/** Offers to tell the user on this device, and says why it cannot be done. */
export function startDevices() {
	const box = document.getElementById("devices");
	const button = document.getElementById("device-add");
	const note = document.getElementById("device-note");
	if (!box || !(button instanceof HTMLButtonElement) || !note) return;
	/** @param {string} why the name of a text */
	const tell = (why) => {
		note.textContent = box.dataset[why] ?? "";
	};
	const why = hindrance();
	button.hidden = why !== "";
	tell(why);
	button.addEventListener("click", async () => {
		button.disabled = true;
		tell("");
		try {
			if ((await Notification.requestPermission()) !== "granted") return tell("blocked");
			const { vapidKey = "" } = box.dataset;
			const { enlist, subscribe } = await import("./subscription.js");
			const answer = await enlist(await subscribe(vapidKey), vapidKey);
			if (!answer.ok) return tell(answer.status === 422 ? "unknown" : "failed");
			location.assign(our("/settings?done=device-added"));
		} catch {
			tell("failed");
		} finally {
			button.disabled = false;
		}
	});
}

/** Returns the name of the text that says why this browser cannot be told; empty: it can. */
function hindrance() {
	if (!isSecureContext) return "insecure";
	if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) return Notification.permission === "denied" ? "blocked" : "";
	// On an iPhone only an application on the home screen has push.
	return /iPhone|iPad/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1) ? "install" : "unable";
}

// @ts-check
import { our } from "./mount.js";

/** Turns notifications on this device on and off, or shows why this is not possible. */
export function startDevices() {
	const box = document.getElementById("devices");
	const label = document.getElementById("device-add");
	const toggle = label?.querySelector("input");
	const note = document.getElementById("device-note");
	if (!box || !label || !toggle || !note) return;
	/** @param {string} why the name of a text */
	const explain = (why) => {
		note.textContent = box.dataset[why] ?? "";
	};
	const remove = document.getElementById("device-remove");
	toggle.checked = toggle.defaultChecked; // a browser may restore what it was before a reload
	const why = toggle.checked ? "" : hindrance();
	label.hidden = why !== "";
	explain(why);
	/** @param {string} fault */
	const refuse = (fault) => {
		explain(fault);
		toggle.checked = false;
	};
	toggle.addEventListener("change", async () => {
		if (!toggle.checked) return remove instanceof HTMLFormElement && remove.requestSubmit();
		toggle.ariaBusy = "true"; // not disabled: it keeps the focus
		explain("");
		try {
			if ((await Notification.requestPermission()) !== "granted") return refuse("blocked");
			const { vapidKey = "" } = box.dataset;
			const { enlist, subscribe } = await import("./subscription.js");
			const answer = await enlist(await subscribe(vapidKey), vapidKey);
			if (!answer.ok) return refuse(answer.status === 422 ? "unknown" : "failed");
			location.assign(our("/settings?done=device-added"));
		} catch {
			refuse("failed");
		} finally {
			toggle.ariaBusy = null;
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

// @ts-check
import { our } from "./mount.js";

const patience = 10_000; // ms: some browsers never answer where no push service can be reached

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
			const subscription = await subscribe(box.dataset.vapidKey ?? "");
			const answer = await fetch(our("/devices"), {
				method: "POST", body: JSON.stringify(subscription),
				headers: { "Content-Type": "application/json", ...JSON.parse(document.body.getAttribute("hx-headers") ?? "{}") },
			});
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

/**
 * Returns the subscription of this browser under a key. One under another key is replaced.
 * @param {string} applicationServerKey
 */
async function subscribe(applicationServerKey) {
	await navigator.serviceWorker.register(our("/sw.js"), { scope: our("/") });
	const { pushManager } = await navigator.serviceWorker.ready;
	const options = { userVisibleOnly: true, applicationServerKey };
	try {
		return await soon(pushManager.subscribe(options));
	} catch (fault) {
		const old = await pushManager.getSubscription();
		if (!old) throw fault;
		await old.unsubscribe();
		return soon(pushManager.subscribe(options));
	}
}

/**
 * @template T
 * @param {Promise<T>} result
 * @returns {Promise<T>}
 */
function soon(result) {
	return Promise.race([result, new Promise((_, fail) => setTimeout(fail, patience))]);
}

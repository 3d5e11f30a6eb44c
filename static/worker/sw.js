// The worker that shows what a push message says. A push that shows nothing would end the subscription.
const shown = () => registration.getNotifications();

addEventListener("push", (e) => {
	let message;
	try {
		message = e.data.json();
	} catch {} // shown nevertheless
	const { notification, app_badge: unread, inbox } = message ?? {};
	const { title = "Carillon", navigate, ...rest } = notification ?? {};
	e.waitUntil((async () => {
		await registration.showNotification(title, { ...rest, renotify: !!rest.tag, data: navigate });
		if (inbox === 1) for (const old of await shown()) if (old.tag !== rest.tag) old.close(); // read elsewhere
		if (unread) await navigator.setAppBadge?.(unread);
	})());
});

addEventListener("notificationclick", (e) => {
	e.notification.close();
	const to = e.notification.data ?? registration.scope;
	e.waitUntil((async () => {
		const open = (await clients.matchAll({ type: "window" })).find((page) => page.url.startsWith(registration.scope));
		if (!open) return clients.openWindow(to);
		await open.focus();
		return open.navigate(to);
	})());
});

addEventListener("pushsubscriptionchange", (e) => {
	e.waitUntil((async () => {
		const now = e.newSubscription ?? (await registration.pushManager.subscribe(e.oldSubscription?.options ?? { userVisibleOnly: true }));
		await fetch(new URL("devices", registration.scope), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(now) });
	})());
});

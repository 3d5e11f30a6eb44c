// The worker that shows push messages. A push that shows nothing would end the subscription.
const shown = () => registration.getNotifications();

addEventListener("push", (e) => {
	let message;
	try {
		message = e.data.json();
	} catch {} // shown anyway
	const { notification, app_badge: unread, inbox } = message ?? {};
	const { title = "Carillon", navigate, ...rest } = notification ?? {};
	e.waitUntil((async () => {
		const buttons = (rest.actions ?? []).map((a) => [a.action, a.navigate]);
		await registration.showNotification(title, { ...rest, renotify: !!rest.tag, data: { ...Object.fromEntries(buttons), "": navigate } });
		if (inbox === 1) for (const old of await shown()) if (old.tag !== rest.tag) old.close(); // read elsewhere
		if (unread) await navigator.setAppBadge?.(unread);
	})());
});

addEventListener("notificationclick", (e) => {
	e.notification.close();
	const { data } = e.notification; // in notifications of earlier versions, the address itself
	const address = typeof data === "string" ? data : (data?.[e.action] ?? data?.[""]);
	const to = new URL(address || registration.scope, registration.scope);
	e.waitUntil((async () => {
		const pages = to.origin === location.origin ? await ours() : [];
		for (const page of pages) {
			try {
				await page.focus(); // before anything else: a page that leaves cannot be focused
			} catch {
				continue; // already closed, or the system refuses
			}
			// The click is spent: the browser no longer opens a window. A busy page gets the message later.
			if (!(await goes(page, to.href))) await page.navigate(to.href).catch(() => {}); // only if this worker controls it
			return;
		}
		await clients.openWindow(to.href);
	})());
});

// Returns our pages, the visible one first. Pages opened before the worker was installed, or force-reloaded, are not
// controlled by it.
async function ours() {
	const all = await clients.matchAll({ type: "window", includeUncontrolled: true });
	const seen = (page) => (page.focused ? 2 : 0) + (page.visibilityState === "visible" ? 1 : 0);
	return all.filter((page) => page.url.startsWith(registration.scope)).sort((a, b) => seen(b) - seen(a));
}

// Requests that a page open an address. A frozen page, or one without our script, does not answer.
function goes(page, navigate) {
	const { port1, port2 } = new MessageChannel();
	return new Promise((answer) => {
		port1.onmessage = () => answer(true);
		setTimeout(answer, 1000, false);
		page.postMessage({ navigate }, [port2]);
	});
}

// Browsers do not always report which subscription they have replaced, and some never report a replacement: then the
// next page registers it. It also does so if there is no session, and the answer leads to the sign-in page.
addEventListener("pushsubscriptionchange", (e) => {
	e.waitUntil((async () => {
		const at = new URL("devices", registration.scope), store = await caches.open("carillon");
		const kept = await (await store.match(at))?.json();
		if (kept && !kept.on) return;
		const was = kept?.endpoint ?? e.oldSubscription?.endpoint;
		const applicationServerKey = kept?.key ?? e.oldSubscription?.options.applicationServerKey;
		if (!was || !applicationServerKey) return; // its user is unknown
		const now = e.newSubscription ?? (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
		const headers = { "Content-Type": "application/json", ...(kept && { "Carillon-User": kept.user }) };
		const answer = await fetch(at, { method: "POST", redirect: "manual", headers, body: JSON.stringify({ ...now.toJSON(), again: true, was }) });
		if (answer.ok && kept) await store.put(at, new Response(JSON.stringify({ ...kept, endpoint: now.endpoint })));
	})());
});

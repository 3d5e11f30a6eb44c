// @ts-check
// Keeps push on in this browser. Few pages need this module, so it imports no other one, which would have to be
// served as a separate file.

/** As in mount.js. @param {string} path */
const our = (path) => (document.body.dataset.mount ?? "") + path;

const day = 86_400_000; // ms
const patience = 10_000; // ms: some browsers never answer where no push service can be reached

/**
 * The stored push state of this browser, for its pages and its worker. on is false once the server has reported that the
 * user has turned it off here.
 * @typedef {{user: string, login: string, key: string, endpoint: string, at: number, on: boolean}} Kept
 */

/** @returns {Promise<Kept | undefined>} */
async function recall() {
	const kept = await (await caches.open("carillon")).match(our("/devices"));
	return kept?.json();
}

/** @param {Kept} kept */
async function keep(kept) {
	await (await caches.open("carillon")).put(our("/devices"), new Response(JSON.stringify(kept)));
}

/** @returns {Record<string, string>} the header that names the user of this page */
const userHeaders = () => JSON.parse(document.body.getAttribute("hx-headers") ?? "{}");

/** Names the user of this page. */
const pageUser = () => Object.values(userHeaders())[0] ?? "";

/**
 * Returns the subscription of this browser under a key. A subscription under another key is replaced.
 * @param {string} applicationServerKey
 */
export async function subscribe(applicationServerKey) {
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
 * Registers this browser with the server, and stores the response.
 * @param {PushSubscription} subscription
 * @param {string} key that it was made under
 * @param {{again?: boolean, was?: string}} [how] without a click, and the endpoint registered at the server
 */
export async function enlist(subscription, key, how) {
	const answer = await fetch(our("/devices"), {
		method: "POST", body: JSON.stringify({ ...JSON.parse(JSON.stringify(subscription)), ...how }), redirect: "manual",
		headers: { "Content-Type": "application/json", ...userHeaders() },
	});
	if (answer.ok || answer.status === 409) {
		const { endpoint } = subscription;
		await keep({ user: pageUser(), login: document.body.dataset.login ?? "", key, endpoint, at: Date.now(), on: answer.ok });
	}
	return answer;
}

/**
 * Registers this browser again if its user has turned push on here and not off since: after they have signed in
 * again, when the browser or the server has replaced the subscription or the key, and otherwise once a day. Push that
 * one user has turned on here is not turned on for another.
 * @param {string} key of the server
 */
export async function comeBack(key) {
	const registered = await navigator.serviceWorker?.getRegistration(our("/"));
	if (!registered?.pushManager) return;
	const [found, kept] = await Promise.all([registered.pushManager.getSubscription(), recall()]);
	const { login = "" } = document.body.dataset;
	const own = kept?.user === pageUser();
	if (kept?.on ? !own : own && kept?.endpoint === found?.endpoint) return;
	const was = kept?.on ? kept.endpoint : undefined; // without it, only a browser registered at the server is restored
	const bound = found && under(found, key);
	if (!bound && !was) return;
	if (bound && found.endpoint === was && kept?.login === login && Date.now() - kept.at < day) return;
	const subscription = bound ? found : await subscribe(key);
	const answer = await enlist(subscription, key, { again: true, was });
	if (answer.status === 409 && !bound) await subscription.unsubscribe();
	if (answer.ok && document.querySelector("#device-add :not(:checked)")) location.replace(our("/settings")); // it is in the list now
}

/**
 * Reports whether a subscription was made under a key. Some browsers do not report it.
 * @param {PushSubscription} subscription
 * @param {string} key
 */
function under({ options }, key) {
	const of = options?.applicationServerKey;
	if (!of) return true;
	return btoa(String.fromCharCode(...new Uint8Array(of))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") === key;
}

/**
 * @template T
 * @param {Promise<T>} result
 * @returns {Promise<T>}
 */
function soon(result) {
	return Promise.race([result, new Promise((_, fail) => setTimeout(fail, patience))]);
}

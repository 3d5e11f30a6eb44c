// @ts-check
import { connect } from "./core.js";
import { home, ours } from "./home.js";
import { style } from "./style.js";
import { texts } from "./texts.js";

/** @typedef {import("./core.js").Client} Client */
/** @typedef {import("./core.js").Snapshot} Snapshot */

const frame = 16; // ms

/** @type {Map<string | Function, {client: Client, users: number}>} */ const clients = new Map();

/**
 * What all elements have: a client, which elements with the same source of tokens
 * share, and texts in the language of their place in the page.
 */
export class CarillonElement extends /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? Object) {
	/** @type {(() => Promise<string | null>) | null} */ tokenProvider = null;
	/** @type {Client | null} */ client = null;
	/** @type {Record<string, string> | null} */ texts = null;
	/** Draws the content of a row instead. @type {((row: import("./rows.js").Row, element: HTMLElement) => Node) | null} */ renderRow = null;
	/** @type {(() => void)[]} */ #stop = [];
	/** @type {string | Function | null} */ #source = null;
	#t = texts("en");

	connectedCallback() {
		const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
		root.adoptedStyleSheets = [style()];
		this.#t = texts(this.getAttribute("lang") ?? /** @type {HTMLElement | null} */ (this.closest("[lang]"))?.lang ?? navigator.language);
		const client = this.client ?? this.#share();
		if (!client) return;
		this.client = client;
		this.start(root, client);
		for (const name of ["notice", "error"]) this.until(client.on(name, (e) => this.tell(name, e.detail)));
		let state = "";
		/** @type {ReturnType<typeof setTimeout> | undefined} */ let due;
		this.draw(client.getSnapshot());
		this.until(client.subscribe((now) => {
			if (now.state !== state) this.tell("state", { state: (state = now.state) });
			// Many changes at once are drawn once.
			due ??= setTimeout(() => {
				due = undefined;
				this.draw(client.getSnapshot());
			}, frame);
		}));
		this.until(() => clearTimeout(due));
	}

	disconnectedCallback() {
		for (const stop of this.#stop.splice(0)) stop();
		this.shadowRoot?.replaceChildren();
		const shared = this.#source && clients.get(this.#source);
		if (!shared) return;
		// An element that moves within the page leaves and comes back at once.
		setTimeout(() => {
			if (--shared.users > 0) return;
			shared.client.close();
			for (const [source, one] of clients) if (one === shared) clients.delete(source);
		});
		this.client = this.#source = null;
	}

	/** Builds what is shown. @param {ShadowRoot} _root @param {Client} _client */
	start(_root, _client) {}

	/** Draws a snapshot. @param {Snapshot} _now */
	draw(_now) {}

	/** Loads everything that is shown again. */
	async refresh() {
		await Promise.all([this.client?.load(), this.client?.loadAnnouncements()]);
	}

	/** Forgets the user at once, in all elements that share the client, such as when they sign out. */
	signOut() {
		const source = this.#source;
		this.client?.end();
		if (source) clients.delete(source);
	}

	get language() {
		return this.#t.lang;
	}

	/** @param {string} id @param {Record<string, string | number>} [values] */
	text(id, values) {
		return this.texts?.[id] ?? this.#t.text(id, values);
	}

	/** Undoes something when the element leaves the page. @param {() => void} stop */
	until(stop) {
		this.#stop.push(stop);
	}

	/**
	 * Dispatches an event of the element. Returns false if the page prevents its default.
	 * @param {string} name @param {any} [detail]
	 */
	tell(name, detail) {
		return this.dispatchEvent(new CustomEvent(`carillon-${name}`, { detail, bubbles: true, composed: true, cancelable: true }));
	}

	#share() {
		const token = this.getAttribute("token");
		const server = this.getAttribute("server") ?? home;
		const source = this.tokenProvider ?? (token ? `token ${token}` : (this.getAttribute("token-url") ?? (ours(server) ? "session" : null)));
		if (!source) return null;
		let shared = clients.get(source);
		if (!shared) {
			const provide = typeof source === "function" ? /** @type {any} */ (source) : undefined;
			const options = token && !provide ? { tokenProvider: async () => token } : provide ? { tokenProvider: provide } : source === "session" ? {} : { tokenUrl: new URL(String(source), document.baseURI).href };
			clients.set(source, (shared = { client: connect({ ...options, server }), users: 0 }));
		}
		shared.users++;
		this.#source = source;
		return shared.client;
	}
}

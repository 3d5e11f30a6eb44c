// @ts-check
import { complain } from "./complain.js";
import { make } from "./dom.js";
import { later, loaded } from "./lazy.js";
import { Seat } from "./seat.js";
import { Settable } from "./settable.js";
import { Known } from "./snapshot.js";
import { style } from "./style.js";
import { texts } from "./texts.js";

/** @typedef {import("./core.js").Client} Client */
/** @typedef {import("./core.js").Snapshot} Snapshot */

const frame = 16; // ms
const lonely = 5_000; // ms that an element without settings waits for an element with settings

/** The attributes that select notices; without them an element shows all of them. */
export const sections = ["types", "scope", "app"];

/** The base of all elements: a client, which elements share, and texts in the language of their place in the page. */
export class CarillonElement extends Settable {
	/** @type {Client | null} */ #client = null;
	/** @type {(() => void)[]} */ #stop = [];
	failed = false; // to load the content
	/** @type {string | null} */ #user = null; // whose notices were loaded
	#part = false; // it shows a part of the notices
	#seat = new Seat(() => this.settle());
	#t = texts("en");

	get client() {
		return this.#client ?? super.client;
	}

	set client(client) {
		super.client = client;
	}

	/** @override @param {boolean} anew @param {boolean} put */
	update(anew, put) {
		if (!this.isConnected) {
			this.#end();
			this.#seat.leave();
			this.#client = this.#user = null;
			return;
		}
		const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
		root.adoptedStyleSheets = [style()];
		const t = texts(this.getAttribute("lang") || /** @type {HTMLElement | null} */ (this.closest("[lang]"))?.lang || navigator.language);
		let client = null;
		try {
			client = this.#seat.take({
				client: super.client, provide: this.tokenProvider, token: this.getAttribute("token"), tokenUrl: this.getAttribute("token-url"), server: this.getAttribute("server"),
			});
		} catch (err) {
			complain(`<${this.localName}> ${/** @type {Error} */ (err).message}`);
			this.#seat.leave();
		}
		const same = client === this.#client && client !== null;
		if (same && !anew && t.lang === this.#t.lang) {
			if (put) this.moved();
		} else {
			this.#end();
			this.#t = t;
			if (!same) this.#user = null;
			this.#client = client;
			this.#begin(root, client);
		}
		if (put && client?.getSnapshot().state === "signed-out") void client.refresh();
	}

	/** Shows the page's own content until there is a client, and what it is narrowed by. @param {ShadowRoot} root @param {Client | null} whole */
	#begin(root, whole) {
		const had = this.#part;
		this.#part = sections.some((name) => this.hasAttribute(name));
		if (had || this.#part) this.#user = null; // to load its notices
		if (whole && !this.#part) return this.#start(root, whole, whole);
		const own = make("slot");
		root.replaceChildren(own);
		if (whole) return later(({ narrow }) => own.isConnected && this.#start(root, whole, narrow(this, whole, new Known())));
		const late = setTimeout(() => complain(`<${this.localName}> needs token-url, token or tokenProvider`), lonely);
		this.atEnd(() => clearTimeout(late));
	}

	/** @param {ShadowRoot} root @param {Client} whole @param {Client} client what the element shows of it */
	#start(root, whole, client) {
		const draw = this.start(root, client);
		for (const name of ["notice", "error"]) this.atEnd(client.on(name, (e) => this.emit(name, e.detail)));
		let state = "";
		/** @type {ReturnType<typeof setTimeout> | undefined} */ let due;
		draw(client.getSnapshot());
		this.atEnd(client.subscribe((now) => {
			if (now.user !== this.#user) this.#become(now.user, client);
			if (now.state !== state) this.emit("state", { state: (state = now.state) });
			// Several changes together are drawn once.
			due ??= setTimeout(() => {
				due = undefined;
				draw(client.getSnapshot());
			}, frame);
		}));
		this.atEnd(() => clearTimeout(due));
		if (document.querySelector("meta[name=carillon-subject]")) later(({ watchSubject }) => whole === this.#client && watchSubject(this, whole));
	}

	/** @param {string | null} user @param {Client} client */
	#become(user, client) {
		const had = this.#user;
		this.#user = user;
		if (had !== null) {
			loaded(({ hush }) => hush());
			this.failed = false;
			this.left();
			this.settle(true);
		}
		if (user === null) return;
		this.load(client);
	}

	#end() {
		for (const stop of this.#stop.splice(0)) stop();
		this.shadowRoot?.replaceChildren();
	}

	/** Builds the content. Returns the function that draws a snapshot. @param {ShadowRoot} _root @param {Client} _client @returns {(now: Snapshot) => void} */
	start(_root, _client) {
		return () => {};
	}

	/** Loads the content for a user. @param {Client} _client @param {boolean} [_chosen] the user chose a tab */
	load(_client, _chosen) {}

	/** Is called when the element has moved in the page. */
	moved() {}

	/** Is called when the user has left. */
	left() {}

	/** Determines again who is signed in, and reloads everything on display. */
	async refresh() {
		await this.client?.refresh();
	}

	/** Drops the user immediately, in all elements that share the client. */
	signOut() {
		this.client?.end();
	}

	get language() {
		return this.#t.lang;
	}

	/** @param {string} id @param {Record<string, string | number>} [values] */
	text(id, values) {
		return this.texts?.[id] ?? this.#t.text(id, values);
	}

	/** Makes a button with a text. @param {string} id of the text @param {() => void} click @param {Record<string, string>} [attributes] */
	button(id, click, attributes) {
		return make("button", { class: "action", part: "action", click, ...attributes }, this.text(id));
	}

	/** Returns why content is missing or may be outdated; "" if there is no fault. @param {Snapshot} now */
	fault({ state, notices }) {
		if (state === "signed-out") return this.text("signed_out");
		if (state === "offline") return this.text(state);
		if (notices === null && (this.failed || state === "reconnecting")) return this.text("unloaded");
		return state === "reconnecting" ? this.text(state) : "";
	}

	/** Reports whether an attribute is set. Some frameworks write false. @param {string} name */
	flag(name) {
		return (this.getAttribute(name) ?? "false") !== "false";
	}

	/** Calls stop when the element leaves the page. @param {() => void} stop */
	atEnd(stop) {
		this.#stop.push(stop);
	}

	/**
	 * Dispatches an event of the element. Returns false if the page prevents its default.
	 * @param {string} name @param {any} [detail]
	 */
	emit(name, detail) {
		return this.dispatchEvent(new CustomEvent(`carillon-${name}`, { detail, bubbles: true, composed: true, cancelable: true }));
	}
}

// @ts-check

/** @typedef {import("./core.js").Client} Client */

/**
 * The properties that the page sets.
 * @typedef {object} Given
 * @property {Client | null} [client]
 * @property {(() => Promise<string | null | undefined>) | null} [tokenProvider]
 * @property {Record<string, string> | null} [texts]
 * @property {((row: import("./rows.js").Row, element: HTMLElement) => Node) | null} [renderRow]
 */

const settings = ["token", "token-url", "server"];
const properties = /** @type {const} */ (["client", "tokenProvider", "texts", "renderRow"]);

/** An element whose attributes and properties the page may set at any time, even before this script has loaded. */
export class Settable extends /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? Object) {
	static observedAttributes = [...settings, "lang"];

	/** @type {Given} */ #given = {};
	#due = false; // an update is scheduled in this task
	#anew = false; // everything is drawn again then
	#put = false; // it was inserted into the page

	constructor() {
		super();
		// Values set before this class was defined would hide the property.
		for (const name of properties) {
			if (!Object.hasOwn(this, name)) continue;
			const value = /** @type {any} */ (this)[name];
			delete (/** @type {any} */ (this)[name]);
			/** @type {any} */ (this)[name] = value;
		}
	}

	get client() {
		return this.#given.client ?? null;
	}

	set client(client) {
		this.#give({ client });
	}

	get tokenProvider() {
		return this.#given.tokenProvider ?? null;
	}

	set tokenProvider(tokenProvider) {
		this.#give({ tokenProvider });
	}

	get texts() {
		return this.#given.texts ?? null;
	}

	set texts(texts) {
		this.#give({ texts });
	}

	/** Draws the content of a row instead. */
	get renderRow() {
		return this.#given.renderRow ?? null;
	}

	set renderRow(renderRow) {
		this.#give({ renderRow });
	}

	connectedCallback() {
		this.#put = true;
		this.settle();
	}

	disconnectedCallback() {
		this.settle();
	}

	/** @param {string} name @param {string | null} had @param {string | null} has */
	attributeChangedCallback(name, had, has) {
		if (settings.includes(name)) this.#put = true; // the same address may return tokens of another user
		if (settings.includes(name) || name === "lang") this.settle();
		else if (had !== has) this.changed(name);
	}

	/** Is called when an attribute has changed. @param {string} _name */
	changed(_name) {
		this.settle(true);
	}

	/** @param {Given} part */
	#give(part) {
		Object.assign(this.#given, part);
		this.settle(!("client" in part || "tokenProvider" in part));
	}

	/** Updates everything after the page's current task, which may move the element or set more. */
	settle(anew = false) {
		this.#anew ||= anew;
		if (this.#due) return;
		this.#due = true;
		queueMicrotask(() => {
			const [anew, put] = [this.#anew, this.#put];
			this.#due = this.#anew = this.#put = false;
			this.update(anew, put);
		});
	}

	/** Updates the element from the page's settings. @param {boolean} _anew everything is drawn again @param {boolean} _put it was inserted or moved in the page, or a setting was changed */
	update(_anew, _put) {}
}

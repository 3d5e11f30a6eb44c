// @ts-check

/** @typedef {import("./presence.js").Presence} Presence */
/** @typedef {{kind: "left"} | {kind: "shown", ids: string[]}} Message messages between tabs */

/**
 * Decides which tab of a browser shows toasts: the one that holds the lock. Every
 * visible tab requests it, and a tab in use steals it from another.
 *
 * Dispatches `begin` when it becomes this tab's turn, and `shown` with the ids that
 * another tab has shown. Without locks each visible tab shows the toasts it gets.
 */
export class Showing extends EventTarget {
	/** @type {{steals: boolean, end: () => void} | undefined} */ #turn; // defined while it has or awaits the lock
	/** @type {BroadcastChannel | undefined} */ #channel;
	#joined = false;
	#here = false;
	#name;
	#presence;
	#leads;
	#locks;

	/**
	 * @param {string} user tabs of other users receive nothing
	 * @param {Presence} presence
	 * @param {() => boolean} leads whether this tab reports for all when none is visible
	 * @param {LockManager} [locks] without them tabs cannot agree
	 */
	constructor(user, presence, leads, locks) {
		super();
		this.#name = `carillon-toasts:${user}`; // no user name can make it the name of the stream's lock
		this.#presence = presence;
		this.#leads = leads;
		this.#locks = locks;
		document.addEventListener("visibilitychange", () => this.#follow());
		for (const name of ["focus", "pointerdown", "keydown"]) {
			addEventListener(name, () => this.#use(), { capture: true, passive: true });
		}
	}

	/** Whether this tab shows the toasts that arrive. */
	get here() {
		return this.#here;
	}

	/** Whether this tab waits for another tab to stop showing toasts. */
	get waits() {
		return !this.#here && this.#turn !== undefined;
	}

	/** Starts taking part. */
	join() {
		if (this.#joined) return;
		this.#joined = true;
		if (this.#locks) {
			this.#channel = new BroadcastChannel(this.#name);
			this.#channel.onmessage = (e) => this.#hear(e.data);
		}
		if (seen()) this.#ask(document.hasFocus());
	}

	/** Releases everything: a page kept in the browser's history must hold nothing. */
	leave() {
		if (!this.#joined) return;
		this.#joined = false;
		// Another page may follow in this tab: the other tabs check after a moment.
		if (this.#turn) this.#channel?.postMessage({ kind: "left" });
		this.#release();
		this.#channel?.close();
		this.#channel = undefined;
	}

	/** Sends the other tabs the ids of toasts that this one has shown. @param {string[]} ids */
	share(ids) {
		this.#channel?.postMessage({ kind: "shown", ids });
	}

	#follow() {
		if (!this.#joined) return;
		if (seen()) return this.#ask(document.hasFocus());
		this.#release();
		this.#presence.end(() => this.#nobody());
	}

	#use() {
		if (!this.#joined || !seen() || this.#turn?.steals) return;
		if (this.#here) this.#presence.used();
		else this.#ask(true);
	}

	/** @param {boolean} steals */
	#ask(steals) {
		if (this.#here) return;
		this.#release();
		const abort = new AbortController();
		/** @type {() => void} */ let release = () => {};
		const held = new Promise((resolve) => (release = () => resolve(undefined)));
		const turn = { steals, end: () => (abort.abort(), release()) };
		this.#turn = turn;
		if (!this.#locks) return this.#begin(turn);
		this.#locks
			.request(this.#name, steals ? { steal: true } : { signal: abort.signal }, () => {
				if (this.#turn !== turn) return; // it was released in the meantime
				this.#begin(turn);
				return held;
			})
			.catch(() => {
				if (this.#turn !== turn) return;
				// Locks may be denied: two tabs that show toasts are better than none.
				if (!this.#here) return this.#begin(turn);
				// Another tab is in use and stole the lock: queue up behind it.
				this.#release();
				this.#ask(false);
			});
	}

	/** @param {{steals: boolean}} turn */
	#begin(turn) {
		turn.steals = false;
		this.#here = true;
		this.#presence.begin();
		this.dispatchEvent(new Event("begin"));
	}

	#release() {
		this.#turn?.end();
		this.#turn = undefined;
		this.#here = false;
	}

	/** Reports whether no tab is visible. Without locks, tabs cannot detect each other. */
	async #nobody() {
		if (!this.#locks || !this.#joined) return false;
		const { held = [], pending = [] } = await this.#locks.query();
		return ![...held, ...pending].some(({ name }) => name === this.#name);
	}

	/** @param {Message} message */
	#hear(message) {
		if (message.kind === "shown") this.dispatchEvent(new CustomEvent("shown", { detail: message.ids }));
		else if (!seen() && this.#leads()) this.#presence.end(() => this.#nobody());
	}
}

function seen() {
	return document.visibilityState === "visible";
}

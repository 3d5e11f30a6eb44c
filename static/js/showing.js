// @ts-check

/** @typedef {import("./presence.js").Presence} Presence */
/** @typedef {{kind: "left"} | {kind: "shown", ids: string[]}} Message what tabs tell each other */

/**
 * Which tab of a browser shows toasts: the one that holds the lock. Every tab
 * that is seen asks for it, and one that is used takes it away from another.
 *
 * Says `begin` when it is this tab's turn, and `shown` with the ids that another
 * tab has shown. Without locks each tab that is seen shows what it gets.
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
	 * @param {string} user whose tabs: nobody else's hear anything
	 * @param {Presence} presence
	 * @param {() => boolean} leads whether this tab speaks for all when none is seen
	 * @param {LockManager} [locks] none: tabs cannot agree
	 */
	constructor(user, presence, leads, locks) {
		super();
		this.#name = `carillon-toasts:${user}`; // no name of a user makes it the lock of the stream
		this.#presence = presence;
		this.#leads = leads;
		this.#locks = locks;
		document.addEventListener("visibilitychange", () => this.#follow());
		for (const name of ["focus", "pointerdown", "keydown"]) {
			addEventListener(name, () => this.#use(), { capture: true, passive: true });
		}
	}

	/** Whether this tab shows what comes. */
	get here() {
		return this.#here;
	}

	/** Whether it waits for the tab that does to go. */
	get waits() {
		return !this.#here && this.#turn !== undefined;
	}

	/** Takes part. */
	join() {
		if (this.#joined) return;
		this.#joined = true;
		if (this.#locks) {
			this.#channel = new BroadcastChannel(this.#name);
			this.#channel.onmessage = (e) => this.#hear(e.data);
		}
		if (seen()) this.#ask(document.hasFocus());
	}

	/** Lets go of everything: a page that is put aside must hold nothing. */
	leave() {
		if (!this.#joined) return;
		this.#joined = false;
		// It may be that another page comes in its place: another tab will see.
		if (this.#turn) this.#channel?.postMessage({ kind: "left" });
		this.#release();
		this.#channel?.close();
		this.#channel = undefined;
	}

	/** Says to the other tabs what this one has shown. @param {string[]} ids */
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
				if (this.#turn !== turn) return; // it let go in the meantime
				this.#begin(turn);
				return held;
			})
			.catch(() => {
				if (this.#turn !== turn) return;
				// It may have no locks: then two that show are better than none.
				if (!this.#here) return this.#begin(turn);
				// Another tab is used, which this one follows.
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

	/** Whether no tab is seen. Without locks nobody knows of other tabs. */
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

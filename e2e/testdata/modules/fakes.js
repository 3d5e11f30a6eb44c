// @ts-check

/** A clock that stands still until a test advances it. */
export class Time {
	/** @type {{at: number, then: () => void}[]} */ waiting = [];
	at = 0;
	chance = 0.5;
	day = new Date(2026, 0, 2, 12, 4, 5);

	now = () => this.at;
	random = () => this.chance;
	date = () => new Date(this.day.getTime() + this.at);

	/** @param {number} ms @param {() => void} then */
	after = (ms, then) => {
		const one = { at: this.at + ms, then };
		this.waiting.push(one);
		return () => void (this.waiting = this.waiting.filter((w) => w !== one));
	};

	/** The ms until the next timer; undefined without one. */
	get next() {
		return this.waiting.length === 0 ? undefined : Math.min(...this.waiting.map(({ at }) => at)) - this.at;
	}

	/** @param {number} ms */
	pass(ms) {
		const end = this.at + ms;
		for (;;) {
			const due = this.waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
			if (!due) break;
			this.waiting = this.waiting.filter((w) => w !== due);
			this.at = due.at;
			due.then();
		}
		this.at = end;
	}
}

/** Makes fake EventSources for one stream. */
export class Server {
	/** @type {Source[]} */ sources = [];

	/** @param {string} url */
	make = (url) => {
		const source = new Source(url);
		this.sources.push(source);
		return /** @type {EventSource} */ (/** @type {unknown} */ (source));
	};

	/** The latest connection. */
	get source() {
		const last = this.sources.at(-1);
		if (!last) throw new Error("nobody has connected");
		return last;
	}

	/** How many connections are open. */
	get open() {
		return this.sources.filter(({ readyState }) => readyState !== 2).length;
	}
}

class Source extends EventTarget {
	readyState = 0;
	/** @type {(() => void) | null} */ onopen = null;
	/** @type {(() => void) | null} */ onerror = null;

	/** @param {string} url */
	constructor(url) {
		super();
		this.url = url;
	}

	close() {
		this.readyState = 2;
	}

	accept() {
		this.readyState = 1;
		this.onopen?.();
	}

	/** The server answers with something that is not a stream. */
	refuse() {
		this.readyState = 2;
		this.onerror?.();
	}

	/** The connection breaks. */
	cut() {
		this.readyState = 0;
		this.onerror?.();
	}

	/** @param {string} name @param {object} data @param {number} ver */
	send(name, data, ver) {
		this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data), lastEventId: String(ver) }));
	}
}

/** @param {number} inbox @param {number} announcements @param {number} ver @param {number} [aver] */
export function badge(inbox, announcements, ver, aver = ver) {
	return { unread: inbox + announcements, inbox, announcements, ver, aver };
}

/** Makes the page look shown or hidden. @param {"visible" | "hidden"} state */
export function look(state) {
	Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
	document.dispatchEvent(new Event("visibilitychange"));
}

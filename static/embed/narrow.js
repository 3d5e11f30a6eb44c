// @ts-check
import { dropped, marked } from "./rows.js";
import { Section } from "./section.js";

/** @typedef {import("./core.js").Client} Client */

/**
 * Returns the client of an element that shows the notices of its attributes types, scope and app alone, with rows and a badge of its own.
 * Whatever is not about these goes to the page's client. With such an attribute no announcement is among them.
 * @param {import("./element.js").CarillonElement} el @param {Client} client @param {import("./snapshot.js").Known} known for what it shows
 */
export function narrow(el, client, known) {
	/** @type {Record<string, string>} */ const what = {};
	const type = el.getAttribute("types")?.match(/\S+/g)?.join();
	if (type) what.type = type;
	const [scope, app] = [el.getAttribute("scope"), el.getAttribute("app")];
	if (scope !== null) what.scope = scope; // an empty one has a meaning
	if (app !== null) what.app = app;
	const section = new Section(client, what, known);
	el.atEnd(() => section.close());
	const own = changes(client, section, what);
	if (Object.keys(what).length > 0) Object.assign(own, { loadAnnouncements: nothing, readAnnouncements: nothing });
	return new Proxy(client, {
		get(of, name) {
			const from = /** @type {any} */ ([own, section, of].find((one) => name in one));
			return typeof from[name] === "function" ? from[name].bind(from) : from[name];
		},
	});
}

const nothing = async () => {};

/** Returns the client's changes, of which the rows of a section hear at once. @param {Client} of @param {Section} section @param {Record<string, string>} what */
function changes(of, section, { type, scope, app }) {
	/** Marks as read what is not newer. One call can name a type or a scope; for anything else it names the rows. @param {number} upto */
	const readUpto = async (upto) => {
		if (app === undefined && !type) return of.call("POST", "read", { scope, upto });
		if (app === undefined && scope === undefined) return Promise.all((type ?? "").split(",").map((type) => of.call("POST", "read", { type, upto })));
		return readRows((await section.unreads()).filter(({ at }) => at <= upto));
	};
	const readRows = (/** @type {import("./rows.js").Row[]} */ rows) => rows[0] && of.read({ keys: rows.map(({ key }) => key) });
	const drops = (/** @type {"delete" | "archive" | "unarchive"} */ name) => (/** @type {string[]} */ keys) => section.change(of[name](keys), dropped, keys);
	return {
		/** @param {any} about as in a client; upto is about the section alone */
		read: (about) => section.change("upto" in about ? readUpto(Number(about.upto)) : of.read(about), marked, about, true),
		/** @param {string[]} keys */
		unread: (keys) => section.change(of.unread(keys), marked, { keys }, false),
		delete: drops("delete"),
		archive: drops("archive"),
		unarchive: drops("unarchive"),
		/** @param {string} key @param {string} until */
		snooze: (key, until) => section.change(of.snooze(key, until), dropped, [key]),
		/** @param {string} key */
		wake: (key) => section.change(of.wake(key), dropped, [key]),
	};
}

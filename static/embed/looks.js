// @ts-check

/** @typedef {import("./avatar.js").Look} Look */
/** @typedef {import("./core.js").Client} Client */

const most = 100; // types of one call

/** The icons and colors of types, by client. @type {WeakMap<Client, Map<string, Promise<Look | undefined>>>} */ const known = new WeakMap();
/** The call that is about to be made, and its types. @type {{types: string[], looks: Promise<Record<string, Look>>, client: Client} | undefined} */ let next;

/** Returns the icon and the color of a type; undefined if they are not known. Types that are asked for together make one call. @param {Client} client @param {string} type */
export function lookOf(client, type) {
	const looks = known.get(client) ?? new Map();
	known.set(client, looks);
	if (!looks.has(type)) looks.set(type, ask(client, type).then((looks) => looks[type]));
	return /** @type {Promise<Look | undefined>} */ (looks.get(type));
}

/** @param {Client} client @param {string} type */
function ask(client, type) {
	if (next?.client !== client || next.types.length === most) {
		/** @type {string[]} */ const types = [];
		const looks = Promise.resolve().then(() => {
			if (next?.types === types) next = undefined;
			return client.call("GET", `looks?type=${types}`).then((/** @type {any} */ { looks }) => looks, () => ({}));
		});
		next = { client, types, looks };
	}
	next.types.push(type);
	return next.looks;
}

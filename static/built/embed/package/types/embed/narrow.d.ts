export type Client = import("./core.js").Client;
/** @typedef {import("./core.js").Client} Client */
/**
 * Returns the client of an element that shows the notices of its attributes types, scope and app alone, with rows and a badge of its own.
 * Whatever is not about these goes to the page's client. With such an attribute no announcement is among them.
 * @param {import("./element.js").CarillonElement} el @param {Client} client @param {import("./snapshot.js").Known} known for what it shows
 */
export declare function narrow(el: import("./element.js").CarillonElement, client: Client, known: import("./snapshot.js").Known): import("./client.js").Client;

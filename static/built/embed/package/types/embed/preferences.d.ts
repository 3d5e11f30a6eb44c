/**
 * Builds the part in which the user chooses the types of notices that they get. It is loaded
 * when it is opened.
 * @param {import("./element.js").CarillonElement} el
 * @param {import("./core.js").Client} client
 */
export declare function preferences(el: import("./element.js").CarillonElement, client: import("./core.js").Client): HTMLElement;

export type Client = import("./core.js").Client;
/** Reports to a client what the page shows, by its meta element carillon-subject, while the client has an element. @param {import("./element.js").CarillonElement} el @param {Client} client */
export declare function watchSubject(el: import("./element.js").CarillonElement, client: Client): void;

// @ts-check

/** Where this script comes from. */
export const home = new URL("../", import.meta.url).href;

/** Reports whether a page needs no tokens, as the server is on its own host. @param {string} server */
export const ours = (server) => new URL(server).origin === location.origin;

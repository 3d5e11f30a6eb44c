// @ts-check

/**
 * Returns the address of a path of this server, whose public URL may contain a path.
 * @param {string} path
 */
export const our = (path) => (document.body.dataset.mount ?? "") + path;

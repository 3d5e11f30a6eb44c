export type Look = import("./avatar.js").Look;
export type Client = import("./core.js").Client;
/** Returns the icon and the color of a type; undefined if they are not known. Types that are asked for together make one call. @param {Client} client @param {string} type */
export declare function lookOf(client: Client, type: string): Promise<Look | undefined>;

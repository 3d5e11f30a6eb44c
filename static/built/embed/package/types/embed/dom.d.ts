/**
 * Makes an element. Its children are texts or elements, never HTML.
 * @param {string} name
 * @param {Record<string, string | boolean | null | undefined | ((e: any) => void)>} [attributes] a function listens to the event of that name
 * @param {...(Node | string | null | undefined)} children
 */
export declare function make(name: string, attributes?: Record<string, string | boolean | null | undefined | ((e: any) => void)>, ...children: (Node | string | null | undefined)[]): HTMLElement;
/**
 * Returns the target of a link: the path, for routers, if it is on the origin of this page, else the address.
 * @param {string} link
 */
export declare function route(link: string): string;
/** @param {string} d the path of an icon of 24 by 24 */
export declare function icon(d: string): SVGSVGElement;

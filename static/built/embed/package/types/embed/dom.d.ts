/**
 * Makes an element. Its children are texts or elements, never HTML.
 * @param {string} name
 * @param {Record<string, string | boolean | null | undefined | ((e: any) => void)>} [attributes] a function listens to the event of that name
 * @param {...(Node | string | null | undefined | false)} children
 */
export declare function make(name: string, attributes?: Record<string, string | boolean | null | undefined | ((e: any) => void)>, ...children: (Node | string | null | undefined | false)[]): HTMLElement;
/**
 * Makes a link, or the text alone if it leads nowhere.
 * @param {string} text @param {string} link @param {Record<string, string>} attributes @param {(e: Event) => void} [click]
 */
export declare function link(text: string, link: string, attributes: Record<string, string>, click?: (e: Event) => void): HTMLElement;
/** Makes the title of a row or toast. @param {{title: string, link: string}} of @param {(e: Event) => void} [click] */
export declare const titleOf: (of: {
    title: string;
    link: string;
}, click?: (e: Event) => void) => HTMLElement;
/** Makes the text of a row or toast. @param {{body: string}} of */
export declare const bodyOf: ({ body }: {
    body: string;
}) => "" | HTMLElement;
/**
 * Returns the target of a link: the path, for routers, if it is on the origin of this page, else the address.
 * @param {string} link
 */
export declare function route(link: string): string;
/** @param {string} d the path of an icon of 24 by 24 */
export declare function icon(d: string): SVGSVGElement;

import { CarillonElement } from "./element.js";
export type Client = import("./core.js").Client;
export type Toast = {
    id: string;
    title: string;
    body: string;
    link: string;
    notice?: number;
    key?: string;
    more?: number;
    type?: string;
    actors?: {
        id?: string;
        name: string;
        image?: string;
    }[];
    actions?: {
        label: string;
        link: string;
        style: string;
    }[];
};
/** @typedef {import("./core.js").Client} Client */
/**
 * @typedef {{id: string, title: string, body: string, link: string, notice?: number, key?: string, more?: number, type?: string,
 *   actors?: {id?: string, name: string, image?: string}[], actions?: {label: string, link: string, style: string}[]}} Toast
 */
/** The place where toasts appear: each in one tab of one browser, in the top layer. */
export declare class CarillonToasts extends CarillonElement {
    #private;
    static observedAttributes: string[];
    /** @param {ShadowRoot} root @param {Client} client */
    start(root: ShadowRoot, client: Client): () => void;
    moved(): void;
}

export type Look = {
    icon?: string;
    color: string;
};
/**
 * Builds what stands before a row: the actor, with the type in the corner, or the type.
 * @param {{type: string, actors?: readonly {id?: string, name: string, image?: string}[]}} of
 * @param {Promise<Look | undefined>} [asked]
 */
export declare function avatar({ type, actors: [actor] }: {
    type: string;
    actors?: readonly {
        id?: string;
        name: string;
        image?: string;
    }[];
}, asked?: Promise<Look | undefined>): HTMLElement;
/**
 * Builds a picture that disappears if it cannot be loaded, or if the policy of the page forbids it.
 * @param {string} name its class and part @param {string} src @param {string} alt
 */
export declare function picture(name: string, src: string, alt: string): HTMLElement;

export type CarillonElement = import("./element.js").CarillonElement;
export type Row = import("./rows.js").Row;
/** @typedef {import("./element.js").CarillonElement} CarillonElement */
/** @typedef {import("./rows.js").Row} Row */
/** The rows in a list. Unchanged rows keep their elements, so nothing flickers. */
export declare class Listing {
    #private;
    /** @param {HTMLElement} ul */
    constructor(ul: HTMLElement);
    get size(): number;
    /** Drops all elements, so that all rows are built again. */
    forget(): void;
    /**
     * @param {readonly any[]} rows notices and announcements
     * @param {(of: any) => HTMLElement} make
     */
    show(rows: readonly any[], make: (of: any) => HTMLElement): void;
}
/**
 * Builds the row of a notice.
 * @param {CarillonElement} el
 * @param {Row} row
 * @param {() => void} followed is called when the user follows its link
 * @param {...HTMLElement} actions
 */
export declare function row(el: CarillonElement, row: Row, followed: () => void, ...actions: HTMLElement[]): HTMLElement;
/**
 * Builds the row of an announcement.
 * @param {CarillonElement} el
 * @param {{id: number, title: string, link: string, read: boolean}} post
 */
export declare function announcement(el: CarillonElement, post: {
    id: number;
    title: string;
    link: string;
    read: boolean;
}): HTMLElement;
/**
 * Builds a button for one row, whose name contains the title of the row.
 * @param {CarillonElement} el @param {string} text @param {string} title @param {() => void} click
 */
export declare function button(el: CarillonElement, text: string, title: string, click: () => void): HTMLElement;

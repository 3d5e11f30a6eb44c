/** Returns the style sheet that all elements share. It is not an inline style, so a strict policy allows it. */
export declare function style(): CSSStyleSheet;
/** Adds the rules of a module that was loaded later. @param {string} more */
export declare const dress: (more: string) => void;

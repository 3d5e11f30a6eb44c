/** Returns the style sheet that all elements share. It is not an inline style, so a strict policy allows it. */
export declare function style(): CSSStyleSheet;

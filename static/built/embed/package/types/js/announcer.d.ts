export type Phrase = string | (() => string);
/**
 * Announces a whole phrase to screen readers, at most one every five seconds. Of
 * several waiting phrases only the last is announced.
 * @param {Phrase} phrase
 * @param {number} [wait] ms to wait, in case there turns out to be less to announce
 */
export declare function say(phrase: Phrase, wait?: number): void;
/**
 * @param {(phrase: string) => void} write
 * @param {import("./clock.js").Clock} [time]
 * @returns {(phrase: Phrase, wait?: number) => void}
 */
export declare function announcer(write: (phrase: string) => void, time?: import("./clock.js").Clock): (phrase: Phrase, wait?: number) => void;

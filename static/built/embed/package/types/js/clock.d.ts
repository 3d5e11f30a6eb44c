export type Clock = {
    /**
     * monotonic time in ms
     */
    now: () => number;
    /**
     * wall-clock time
     */
    date: () => Date;
    /**
     * from 0 to 1
     */
    random: () => number;
    /**
     * calls then after ms; returns a function that cancels it
     */
    after: (ms: number, then: () => void) => (() => void);
};
/**
 * The modules' source of time and randomness. Tests pass in another one.
 * @typedef {object} Clock
 * @property {() => number} now monotonic time in ms
 * @property {() => Date} date wall-clock time
 * @property {() => number} random from 0 to 1
 * @property {(ms: number, then: () => void) => (() => void)} after calls then after ms; returns a function that cancels it
 */
/** @type {Pick<Clock, "random" | "after">} */
export declare const timer: Pick<Clock, "random" | "after">;
/** @type {Clock} */
export declare const clock: Clock;

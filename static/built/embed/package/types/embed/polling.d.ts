/** Polls while a proxy buffers the event stream. */
export declare class Polling {
    #private;
    /** @param {() => Promise<void>} ask asks once @param {Pick<import("../js/clock.js").Clock, "after">} time */
    constructor(ask: () => Promise<void>, { after }?: Pick<import("../js/clock.js").Clock, "after">);
    /** Begins to poll soon, unless stop is called before: a stream has opened. */
    watch(): void;
    stop(): void;
}

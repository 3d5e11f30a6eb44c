/** Polls while a proxy buffers the event stream. */
export declare class Polling {
    #private;
    /** @param {() => Promise<void>} ask makes one request @param {Pick<import("../js/clock.js").Clock, "after">} time */
    constructor(ask: () => Promise<void>, { after }?: Pick<import("../js/clock.js").Clock, "after">);
    /** Starts polling soon, unless stop is called before, because a stream has opened. */
    watch(): void;
    stop(): void;
}

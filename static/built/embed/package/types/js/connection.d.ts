export type State = "live" | "reconnecting" | "offline" | "signed-out";
/** @typedef {"live" | "reconnecting" | "offline" | "signed-out"} State */
/**
 * Shows the state of the connection unless it is live, with the time until which
 * the page was up to date.
 * @param {EventTarget} stream
 * @param {import("./clock.js").Clock} [time]
 */
export declare function startConnection(stream: EventTarget, time?: import("./clock.js").Clock): void;

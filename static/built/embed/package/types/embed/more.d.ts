export { default as css } from "./more.css";
export { act } from "./acts.js";
export { dot } from "./favicon.js";
export { narrow } from "./narrow.js";
export { preferences } from "./preferences.js";
export { place } from "./place.js";
export { say } from "./said.js";
export { split, tally } from "./split.js";
export { entitle } from "./title.js";
export { watchSubject } from "./subject.js";
export { show } from "./toast.js";
export { hush, speak } from "./voice.js";
/** The texts of this module in all languages. */
export declare const texts: [string[], ...string[][]];

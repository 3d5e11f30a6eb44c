export type Toast = import("./toasts.js").Toast;
/**
 * Shows a toast in a region of the top layer.
 * @param {import("./toasts.js").CarillonToasts} el
 * @param {HTMLElement} region
 * @param {Toast} toast
 * @param {(e: Event, to: string) => void} follow is called when the user follows its link or a button
 */
export declare function show(el: import("./toasts.js").CarillonToasts, region: HTMLElement, toast: Toast, follow: (e: Event, to: string) => void): void;

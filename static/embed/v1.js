// @ts-check
import { CarillonBell } from "./bell.js";
import { CarillonInbox } from "./inbox.js";
import { CarillonToasts } from "./toasts.js";

export { connect } from "./core.js";
export { CarillonBell, CarillonInbox, CarillonToasts };

// During server-side rendering there are no custom elements, and a page may load this twice.
const known = globalThis.customElements;
if (known && !known.get("carillon-bell")) {
	known.define("carillon-bell", CarillonBell);
	known.define("carillon-inbox", CarillonInbox);
	known.define("carillon-toasts", CarillonToasts);
}

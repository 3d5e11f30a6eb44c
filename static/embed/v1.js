// @ts-check
import { CarillonBell } from "./bell.js";
import { CarillonInbox } from "./inbox.js";
import { CarillonToasts } from "./toasts.js";

export { connect } from "./core.js";

if (!customElements.get("carillon-bell")) customElements.define("carillon-bell", CarillonBell);
if (!customElements.get("carillon-inbox")) customElements.define("carillon-inbox", CarillonInbox);
if (!customElements.get("carillon-toasts")) customElements.define("carillon-toasts", CarillonToasts);

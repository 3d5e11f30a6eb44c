// @ts-check
import { CarillonBell } from "./bell.js";

export { connect } from "./core.js";

if (!customElements.get("carillon-bell")) customElements.define("carillon-bell", CarillonBell);

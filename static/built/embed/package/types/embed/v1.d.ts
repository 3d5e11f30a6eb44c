import { CarillonBell } from "./bell.js";
import { CarillonInbox } from "./inbox.js";
import { CarillonToasts } from "./toasts.js";
export { connect } from "./core.js";
export { CarillonBell, CarillonInbox, CarillonToasts };

import {
  Client,
  connect
} from "./chunk-CYN23TQ2.js";
import "./chunk-Y2JMYSDW.js";
export {
  Client,
  connect
};

import {
  Client,
  connect
} from "./chunk-WLWA4ZUO.js";
import "./chunk-LSLRGIM5.js";
export {
  Client,
  connect
};

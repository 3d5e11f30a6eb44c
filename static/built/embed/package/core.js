import {
  Client,
  connect
} from "./chunk-PZB3TIU4.js";
import "./chunk-JDWM5IHJ.js";
export {
  Client,
  connect
};

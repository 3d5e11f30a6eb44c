import {
  Client,
  connect
} from "./chunk-RKYBJ6LP.js";
import "./chunk-JDWM5IHJ.js";
export {
  Client,
  connect
};

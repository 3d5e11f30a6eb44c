import {
  Client,
  connect
} from "./chunk-HJ2UVR23.js";
import "./chunk-JAZKCFTZ.js";
export {
  Client,
  connect
};

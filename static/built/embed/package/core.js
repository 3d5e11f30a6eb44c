import {
  Client,
  connect
} from "./chunk.js";
export {
  Client,
  connect
};

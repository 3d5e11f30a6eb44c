// @ts-check
export * from "../v1.js";

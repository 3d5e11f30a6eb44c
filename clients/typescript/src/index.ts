export { Carillon, CarillonError, type Options } from "./client.js";
export { InvalidReceipt, InvalidWebhook, userToken, verifyReceipt, verifyWebhook, type Event, type Keys, type Receipt } from "./signing.js";
export type * from "./types.js";
